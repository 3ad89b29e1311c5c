import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import { runGantry } from "../support/daemon.ts";
import type { Daemon } from "../support/daemon.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const SHELL = fileURLToPath(
  new URL("../../tooling/bootstrap/shell.mjs", import.meta.url),
);
const COMMAND = fileURLToPath(
  new URL("../../kernel/cli/bin/gantry.mjs", import.meta.url),
);

/** What `npm start` is once everything is built: a process that forwards the signals that it gets to the daemon. */
const LAUNCHER = `
  const { becomeProcess } = await import(${JSON.stringify(SHELL)});
  await becomeProcess(process.execPath, process.argv.slice(1));
`;

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "%s to the whole process group, as from a service manager, ends daemon and agents cleanly",
  { tags: "thorough" },
  async (signal) => {
    await using folder = await createTemporaryFolder("process-group");
    const home = join(folder.path, "home");
    const child = spawn(
      process.execPath,
      [
        ...["--input-type=module", "-e", LAUNCHER, COMMAND, "serve"],
        ...["--home", home, "--port", "0", "--json"],
      ],
      { detached: true, stdio: ["ignore", "pipe", "ignore"] },
    );
    const exited = once(child, "exit");
    const [line] = (await once(createInterface(child.stdout), "line")) as [
      string,
    ];
    const ready = JSON.parse(line) as Daemon;
    const base = `http://127.0.0.1:${ready.port}`;
    const api = await createApiClient({ ...ready, home, base } as Daemon);
    const agent = await api.call<{ id: string }>("POST", "/api/agents", {
      name: "Busy",
      cli: "practice",
    });
    const mark = join(folder.path, "mark");
    await api.call("POST", `/api/agents/${agent.body.id}/prompt`, {
      message: `[[run:echo $$ > ${mark}; sleep 1000]]`,
    });
    const working = await vi.waitFor(
      async () => {
        const pid = Number(await readFile(mark, "utf8"));
        expect(pid).toBeGreaterThan(0);
        return pid;
      },
      { interval: 50 },
    );
    process.kill(-(child.pid ?? 0), signal);
    expect(await exited).toEqual([0, null]);
    expect(() => process.kill(working, 0)).toThrow("ESRCH");
    const audit = await runGantry("audit", "tail", "--home", home, "--json");
    expect(audit.output).toContain("daemon.stopped");
    const again = await runGantry("doctor", "--home", home, "--json");
    expect(JSON.parse(again.output)).toMatchObject({ daemon: null });
  },
);
