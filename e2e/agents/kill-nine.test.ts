import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import type { ApiClient } from "../support/api-client.ts";
import { startDaemon } from "../support/daemon.ts";
import type { Daemon } from "../support/daemon.ts";
import { findMarkedProcesses } from "../support/marked-processes.ts";
import { createPiUser, realPi } from "../support/pi-user.ts";
import type { PiUser } from "../support/pi-user.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

interface Agent {
  id: string;
  cwd: string;
  usage: { costUsd: number | null };
}

interface Task {
  id: string;
  status: string;
}

interface Entry {
  kind: string;
  text: string;
}

interface Listing<Item> {
  items: Item[];
}

/** What a daemon that is killed while pi works leaves behind, and what the next one makes of it. */
describe.skipIf(realPi === undefined)("kill -9 while pi works", () => {
  let stack: AsyncDisposableStack;
  let folder: string;
  let user: PiUser;
  let daemon: Daemon;
  let api: ApiClient;

  beforeEach(async () => {
    stack = new AsyncDisposableStack();
    folder = stack.use(await createTemporaryFolder("pi-kill-nine")).path;
    user = stack.use(await createPiUser(folder));
    await start();
  });

  afterEach(() => stack.disposeAsync());

  test("a tool that ran is gone with its pi, and the agent says what happened", async () => {
    const agent = await create();
    const first = await prompt(
      agent,
      "Remember the fox. [[usage:10000:2000]][[tool:bash:echo $$ > pid; nohup sleep 300 & echo $! > child; wait]]",
    );
    const pids = await Promise.all(
      ["pid", "child"].map((name) => untilWritten(join(agent.cwd, name))),
    );
    const waiting = await prompt(agent, "[[usage:10000:2000]][[recall]]");
    expect(waiting.delivery).toBe("queued");
    expect(await findMarkedProcesses(folder)).not.toEqual([]);
    await daemon.kill();
    await start();

    expect(await findMarkedProcesses(folder)).toEqual([]);
    // The parent that inherits a process may take a while to reap it.
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
    expect(await get(agent)).toMatchObject({
      state: "closed",
      mode: null,
      activity: "idle",
      dialog: null,
      // The response that asked for the tool was paid for.
      usage: { costUsd: expect.closeTo(0.06, 9) as number },
    });
    expect((await entries(agent))[0]).toMatchObject({
      kind: "error",
      text: expect.stringContaining("daemon stopped") as string,
    });
    expect(await statuses(agent)).toEqual({
      [first.taskId]: "delivered",
      [waiting.taskId]: "queued",
    });

    // What waited goes out with the next start, once, into the same conversation.
    await api.call("POST", `/api/agents/${agent.id}/managed/start`);
    const { text } = await user.models.waitFor(
      ({ prompt: said, outcome }) =>
        said.includes("[[recall]]") && outcome === "answered",
    );
    expect(text).toContain("Remember the fox.");
    expect(
      user.models.requests.filter(({ prompt: said }) =>
        said.includes("[[recall]]"),
      ),
    ).toHaveLength(1);
  });

  test("an answer that was cut off is said to be, and is not asked for again", async () => {
    const agent = await create();
    await ask(agent, "Remember the fox. [[reply:Yes.]]");
    const [before] = Object.keys(await statuses(agent));
    const { taskId } = await prompt(
      agent,
      "Tell a story. [[reply:Long ago]][[gate:never]][[reply: all was well.]]",
    );
    await user.models.waitFor(({ gate }) => gate === "never");
    const delivered = { [before!]: "delivered", [taskId]: "delivered" };
    await expect.poll(() => statuses(agent)).toEqual(delivered);
    const { usage } = await get(agent);
    await daemon.kill();
    await start();

    expect(await findMarkedProcesses(folder)).toEqual([]);
    expect(await get(agent)).toMatchObject({
      state: "closed",
      activity: "idle",
      // Of an answer that did not end nothing is reported.
      usage,
    });
    expect(await statuses(agent)).toEqual(delivered);
    const [last] = await entries(agent);
    expect(last).toMatchObject({ kind: "error" });
    const answer = await ask(agent, "[[recall]]");
    expect(answer).toContain("Remember the fox.");
    expect(answer).toContain("Tell a story.");
    expect(user.models.requests).toHaveLength(3);
  });

  test("a conversation without a record of pi starts over, and says so", async () => {
    const agent = await create();
    await prompt(agent, "Remember the fox. [[gate:never]]");
    await user.models.waitFor(({ gate }) => gate === "never");
    await daemon.kill();
    await start();

    expect(await findMarkedProcesses(folder)).toEqual([]);
    await ask(agent, "[[reply:Here I am.]]");
    const told = (await entries(agent)).filter(({ kind }) =>
      ["error", "notice"].includes(kind),
    );
    expect(told.reverse()).toMatchObject([
      {
        kind: "error",
        text: expect.stringContaining("daemon stopped") as string,
      },
      {
        kind: "notice",
        text: expect.stringContaining("begins again") as string,
      },
    ]);
  });

  test("a run that was under way is failed for this reason, and the next one is fresh", async () => {
    const { body } = await api.call<{ automation: { id: string } }>(
      "POST",
      "/api/automations",
      {
        name: "Nightly",
        mode: "start",
        cli: "pi",
        prompt: "[[usage:10000:2000]][[gate:night]][[reply:Good morning.]]",
      },
    );
    const { id } = body.automation;
    await api.call("POST", `/api/automations/${id}/run`);
    await user.models.waitFor(({ gate }) => gate === "night");
    await daemon.kill();
    await start();

    expect(await findMarkedProcesses(folder)).toEqual([]);
    expect(await runs(id)).toMatchObject([
      { result: "failed", reason: "daemon-restarted" },
    ]);
    const notices = await api.call<Listing<object>>("GET", "/api/inbox");
    expect(notices.body.items).toMatchObject([{ kind: "notice" }]);

    user.models.openGate("night");
    await api.call("POST", `/api/automations/${id}/run`);
    await expect
      .poll(() => runs(id), { timeout: 30_000 })
      .toMatchObject([
        {
          result: "done",
          message: "Good morning.",
          costUsd: expect.closeTo(0.06, 9) as number,
        },
        { result: "failed", reason: "daemon-restarted" },
      ]);
    expect(await findMarkedProcesses(folder)).toEqual([]);
  });

  async function start(): Promise<void> {
    daemon = stack.use(
      await startDaemon(join(folder, "home"), { env: user.environment }),
    );
    api = await createApiClient(daemon);
  }

  async function create(): Promise<Agent> {
    const { status, body } = await api.call<Agent>("POST", "/api/agents", {
      name: "Night watch",
    });
    expect({ status, ...body }).toMatchObject({
      status: 200,
      cli: "pi",
      cwd: join(folder, "home", "work", "night-watch"),
    });
    return body;
  }

  async function prompt(
    { id }: Agent,
    message: string,
  ): Promise<{ taskId: string; delivery: string }> {
    const { body } = await api.call<{ taskId: string; delivery: string }>(
      "POST",
      `/api/agents/${id}/prompt`,
      { message },
    );
    return body;
  }

  async function ask({ id }: Agent, text: string): Promise<string> {
    const path = `/api/agents/${id}/ask`;
    const { body } = await api.call<{ answer: string }>("POST", path, { text });
    return body.answer;
  }

  async function get({ id }: Agent): Promise<Agent> {
    return (await api.call<Agent>("GET", `/api/agents/${id}`)).body;
  }

  /** The conversation, newest first. */
  async function entries({ id }: Agent): Promise<Entry[]> {
    const path = `/api/agents/${id}/messages`;
    return (await api.call<Listing<Entry>>("GET", path)).body.items;
  }

  async function statuses({ id }: Agent): Promise<Record<string, string>> {
    const path = `/api/agents/${id}/tasks`;
    const { body } = await api.call<Listing<Task>>("GET", path);
    return Object.fromEntries(body.items.map((task) => [task.id, task.status]));
  }

  async function runs(id: string): Promise<object[]> {
    const path = `/api/automations/${id}/runs`;
    return (await api.call<Listing<object>>("GET", path)).body.items;
  }
});

/** Waits for a file that a tool writes its number into. */
async function untilWritten(path: string): Promise<number> {
  let pid = 0;
  const read = async () =>
    (pid = Number(await readFile(path, "utf8").catch(() => "")));
  await expect.poll(read, { timeout: 30_000 }).toBeGreaterThan(0);
  return pid;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
