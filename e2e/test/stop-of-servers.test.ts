import { cases } from "@gantry/build/testing";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createApiClient, type ApiClient } from "../support/api-client.ts";
import { startDaemon, type Daemon } from "../support/daemon.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** Listens on any port, and writes that and its own number into a file. It may have workers, and take no notice of TERM. */
const SERVER = `
const [, , file, ...options] = process.argv;
if (options.includes("worker")) setInterval(() => {}, 1000);
else {
  if (options.includes("workers"))
    for (let count = 0; count < 2; count++)
      require("node:child_process").spawn(process.execPath, [__filename, file, "worker"]);
  const server = require("node:http").createServer((_, answer) => answer.end("here"));
  server.listen(0, "127.0.0.1", () =>
    require("node:fs").writeFileSync(file, process.pid + " " + server.address().port + "\\n"));
}`;

interface Button {
  action: string;
  args: object;
  confirm: string;
}

interface Row {
  cells: Record<string, unknown>;
  actions: Button[];
}

interface Server {
  pid: number;
  port: number;
}

describe("Stop in the apps Ports and Processes", () => {
  let stack: AsyncDisposableStack;
  let folder: string;
  let daemon: Daemon;
  let api: ApiClient;
  let count = 0;

  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    folder = stack.use(await createTemporaryFolder("stop-of-servers")).path;
    await writeFile(join(folder, "server.cjs"), SERVER);
    daemon = stack.use(
      await startDaemon(join(folder, "home"), {
        env: { SHELL: "/bin/bash", HOME: folder },
      }),
    );
    api = await createApiClient(daemon);
  });
  afterAll(async () => {
    // Terminals outlive the daemon.
    const { body } = await api.call<{ items: { id: string }[] }>(
      "GET",
      "/api/terminals",
    );
    for (const { id } of body.items)
      await api.call("DELETE", `/api/terminals/${id}`);
    await stack.disposeAsync();
  });

  const post = async <Body = Record<string, unknown>>(
    path: string,
    body: object = {},
  ) => {
    const answer = await api.call<Body>("POST", path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };

  /** The command of a server, and what it wrote once it listens. */
  function prepare(options = "") {
    const file = join(folder, `server-${count++}`);
    return {
      command: `${process.execPath} ${join(folder, "server.cjs")} ${file} ${options}`,
      begun: () =>
        vi.waitFor(async (): Promise<Server> => {
          const text = await readFile(file, "utf8");
          const [pid = 0, port = 0] = text.split(" ").map(Number);
          expect(port).toBeGreaterThan(0);
          return { pid, port };
        }),
    };
  }

  async function openShell(name: string) {
    const { id } = await post<{ id: string }>("/api/terminals", {
      ...{ name, kind: "shell", command: "/bin/bash", cwd: folder },
    });
    const prompt = async () =>
      (await api.call("GET", `/api/terminals/${id}`)).body.prompt;
    const ready = () =>
      vi.waitFor(async () => expect(await prompt()).toBe("ready"));
    const run = async (command: string) => {
      await ready();
      await post(`/api/terminals/${id}/run`, { command });
    };
    return { id, run, ready };
  }

  async function openAgent(name: string) {
    return (await post<{ id: string }>("/api/agents", { name, cwd: folder }))
      .id;
  }

  async function rowsOf(app: "ports" | "processes"): Promise<Row[]> {
    const { body } = await api.call<{ blocks: { rows?: Row[] }[] }>(
      "GET",
      `/api/apps/${app}/view`,
    );
    return body.blocks.flatMap(({ rows }) => rows ?? []);
  }
  const findPort = async ({ port }: Server) =>
    (await rowsOf("ports")).find(
      ({ cells }) => (cells.port as { text: string }).text === String(port),
    );

  const isUp = ({ port }: Server) =>
    fetch(`http://127.0.0.1:${port}`).then(
      () => true,
      () => false,
    );

  /** Stops a server on the page of ports, after its question. */
  async function stop(server: Server): Promise<string> {
    const [button] = (await findPort(server))?.actions ?? [];
    if (!button) throw new Error(`Port ${server.port} has no button.`);
    const { action, args } = button;
    await post("/api/apps/ports/action", { action, args });
    await vi.waitFor(async () => expect(await isUp(server)).toBe(false));
    return button.confirm;
  }

  async function isRunning(pid: number): Promise<boolean> {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    return stat !== "" && !/\) [ZX] /.test(stat);
  }

  test("ends the server of one terminal, and neither its shell nor the other terminal", async () => {
    const [one, other] = [prepare("workers"), prepare()];
    const shells = [await openShell("Build"), await openShell("Docs")] as const;
    await shells[0].run(one.command);
    await shells[1].run(other.command);
    const [first, second] = [await one.begun(), await other.begun()];
    expect((await findPort(first))?.cells.owner).toEqual({
      text: "Build",
      page: `/terminals/${shells[0].id}`,
    });
    expect(await stop(first)).toBe(
      `This ends node, which listens on port ${first.port} in the terminal "Build", with all that it started.`,
    );
    await shells[0].ready();
    expect(await isUp(second)).toBe(true);
    await stop(second);
    await shells[1].ready();
  });

  test(
    "ends the whole job that a server in a shell belongs to, and no other",
    { tags: ["thorough"] },
    async () => {
      const [job, beside] = [prepare(), prepare()];
      const shell = await openShell("Jobs");
      await shell.run(`${beside.command} &`);
      const other = await beside.begun();
      await shell.run(`sh -c 'while :; do ${job.command}; sleep 0.1; done'`);
      const server = await job.begun();
      await stop(server);
      await shell.ready();
      expect(await isUp(other)).toBe(true);
      await stop(other);
      await shell.ready();
    },
  );

  test(
    "ends what has left its terminal, and names that",
    { tags: ["thorough"] },
    async () => {
      const [left, beside] = [prepare("workers"), prepare()];
      const shell = await openShell("Double fork");
      await shell.run(`(setsid sh -c '${left.command} & exit' &)`);
      await shell.run(beside.command);
      const [server, other] = [await left.begun(), await beside.begun()];
      expect(await stop(server)).toContain('in the terminal "Double fork"');
      expect(await isUp(other)).toBe(true);
      await stop(other);
    },
  );

  test("ends the server of an agent, and not the agent", async () => {
    const [own, beside] = [prepare("workers"), prepare()];
    const id = await openAgent("Ada");
    await post(`/api/agents/${id}/ask`, {
      text: `[[run:(${own.command} >/dev/null 2>&1 &)]][[run:(setsid ${beside.command} >/dev/null 2>&1 &)]]`,
    });
    const [server, other] = [await own.begun(), await beside.begun()];
    const cli = async () =>
      (await rowsOf("processes")).find(
        ({ cells }) => (cells.owner as { text?: string }).text === "Ada",
      );
    const before = await cli();
    expect(await stop(server)).toBe(
      `This ends node, which listens on port ${server.port} for the agent "Ada", with all that it started.`,
    );
    expect(await isUp(other)).toBe(true);
    await stop(other);
    expect((await cli())?.actions[0]?.args).toEqual(before?.actions[0]?.args);
    const { body } = await api.call("GET", `/api/agents/${id}`);
    expect(body.state).toBe("open");
  });

  test.each(cases(["", "; true"]))(
    "names the agent of a server that a command or a block of code started (%j)",
    async (rest) => {
      const [bash, block] = [prepare(), prepare()];
      const id = await openAgent("Bea");
      const ended = Promise.all([
        post(`/api/agents/${id}/bash`, { command: bash.command + rest }),
        post(`/api/agents/${id}/snippet`, {
          ...{ lang: "sh", code: block.command + rest },
        }),
      ]);
      const servers = [await bash.begun(), await block.begun()] as const;
      for (const server of servers) {
        expect((await findPort(server))?.cells.owner).toEqual({
          text: "Bea",
          page: `/agents/${id}`,
        });
        expect(await stop(server)).toContain('for the agent "Bea"');
      }
      await ended;
    },
  );

  test("is not offered for the host of terminals, and ends one job there", async () => {
    const [one, other] = [prepare("workers"), prepare()];
    const shell = await openShell("Row");
    await shell.run(`${other.command} &`);
    await shell.run(one.command);
    const [server, beside] = [await one.begun(), await other.begun()];
    const rows = await rowsOf("processes");
    const host = rows.find(({ cells }) => cells.owner === "terminals");
    expect(host?.actions).toEqual([]);
    const row = rows.find(
      ({ cells, actions }) =>
        cells.count === 3 &&
        actions.some(({ confirm }) => confirm.includes('terminal "Row"')),
    );
    const { action, args } = row!.actions[0]!;
    // What a page that is out of date would ask for.
    const { member: _, ...whole } = args as Record<string, unknown>;
    expect(
      await api.call("POST", "/api/apps/processes/action", {
        ...{ action, args: whole },
      }),
    ).toMatchObject({ status: 409, body: { code: "APP_REFUSED" } });
    await post("/api/apps/processes/action", { action, args });
    await shell.ready();
    expect(await isRunning(server.pid)).toBe(false);
    expect(await isUp(beside)).toBe(true);
    await stop(beside);
  });
});
