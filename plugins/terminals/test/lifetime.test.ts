import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { TerminalExited } from "../src/contract.ts";
import { startTerminals } from "./support/start-terminals.ts";

/** Whether a process is there and is not only waiting to be buried. */
async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const state = stat.slice(stat.lastIndexOf(")") + 2)[0];
  return state !== undefined && state !== "Z" && state !== "X";
}
const gone = (pid: number) =>
  vi.waitFor(async () => expect(await isRunning(pid)).toBe(false), {
    interval: 20,
  });
/** Reads a number that a program writes into a file of the user's. */
const numberIn = (...path: string[]) =>
  vi.waitFor(
    async () => {
      const number = Number(await readFile(join(...path), "utf8"));
      expect(number).toBeGreaterThan(0);
      return number;
    },
    { interval: 20 },
  );

test("ten terminals outlive the daemon, and everything of them is there again at once", async () => {
  const { kernel, openShell, open, look, get, hostPid } =
    await startTerminals();
  const shell = await openShell({ name: "first" });
  const others = await Promise.all(
    Array.from({ length: 9 }, (_, index) => open({ name: `other ${index}` })),
  );
  const before = await look(shell.id);
  before.type("count=41; echo kept on the screen\r");
  await before.sees("\u0007kept on the screen");
  const host = await hostPid();
  await kernel.restart();
  expect((await before.closed).code).toBe(1001);
  // The daemon's clock stands still, so that none of this waits for one of its timers.
  const viewers = await Promise.all(
    [shell, ...others].map(({ id }) => look(id)),
  );
  await Promise.all(viewers.map((viewer) => viewer.hears({ type: "screen" })));
  expect(await hostPid()).toBe(host);
  const [after] = viewers;
  expect(await after!.screen()).toContain("\nkept on the screen\n");
  after!.type("echo $((count+1))\r");
  await after!.sees("\u000742\r\n");
  for (const { id, pid } of [shell, ...others])
    expect(await get(id)).toMatchObject({ state: "running", pid });
});

test("a program that ends while no daemon is there is found ended, with its code", async () => {
  const { kernel, open, get, look } = await startTerminals();
  const { id } = await open({
    kind: "cli",
    command: "echo last words; read x; echo heard; sleep 0.3; exit 7",
  });
  const viewer = await look(id);
  await viewer.sees("last words");
  viewer.type("\r");
  await viewer.sees("heard");
  // The daemon restarts at this moment, and may miss the end of the program.
  await kernel.restart();
  await vi.waitFor(async () =>
    expect(await get(id)).toMatchObject({ state: "exited", exitCode: 7 }),
  );
  // Read from the log, since no client listened between the two daemons.
  await vi.waitFor(async () => {
    const { body } = await kernel.api.get<{ items: unknown[] }>(
      "/api/events/log",
      { types: TerminalExited.type },
    );
    expect(body.items).toHaveLength(1);
  });
  const later = await look(id);
  await later.hears({ type: "exit", exitCode: 7 });
  expect(await later.screen()).toContain("last words");
});

test("closing ends the whole tree, also what ignores hang-ups and left the session", async () => {
  const { openShell, look, api, user } = await startTerminals();
  const { id, pid } = await openShell();
  const viewer = await look(id);
  viewer.type(
    `setsid sh -c 'trap "" HUP TERM; echo $$ > away; while :; do sleep 1; done' & nohup sleep 1000 >/dev/null 2>&1 & echo $! > nohup\r`,
  );
  const [away, nohup] = await Promise.all([
    numberIn(user, "away"),
    numberIn(user, "nohup"),
  ]);
  expect((await api.delete(`/api/terminals/${id}`)).status).toBe(200);
  expect(await viewer.closed).toMatchObject({ code: 1000 });
  for (const one of [pid, away, nohup])
    expect(await isRunning(one)).toBe(false);
  expect((await api.get(`/api/terminals/${id}`)).status).toBe(404);
  expect((await api.delete(`/api/terminals/${id}`)).status).toBe(404);
});

test(
  "closing ends also what becomes one program after the other",
  { tags: "alone" },
  async () => {
    const { open, api, user } = await startTerminals();
    await writeFile(join(user, "changeling"), `exec /bin/sh "$0"\n`);
    const { id } = await open({
      kind: "cli",
      command: `for n in $(seq 40); do setsid sh -c 'echo $$ >> pids; exec /bin/sh ./changeling' & done; read line`,
    });
    const pids = await vi.waitFor(
      async () => {
        const text = await readFile(join(user, "pids"), "utf8");
        const numbers = text.trim().split("\n").map(Number);
        expect(numbers).toHaveLength(40);
        return numbers;
      },
      { interval: 20 },
    );
    // They would keep the machine busy for whatever is tested next.
    onTestFinished(async () => {
      for (const pid of pids)
        if (await isRunning(pid)) process.kill(pid, "SIGKILL");
    });
    expect((await api.delete(`/api/terminals/${id}`)).status).toBe(200);
    await Promise.all(pids.map(gone));
  },
);

test("when the host is killed its terminals have ended, nothing of them is left, and the next one opens", async () => {
  const { kernel, openShell, look, get, hostPid, user } =
    await startTerminals();
  const { id, pid } = await openShell();
  const viewer = await look(id);
  viewer.type(
    `setsid sh -c 'trap "" HUP; echo $$ > away; while :; do sleep 1; done' &\r`,
  );
  const away = await numberIn(user, "away");
  process.kill(await hostPid(), "SIGKILL");
  expect((await viewer.closed).code).toBe(1012);
  await vi.waitFor(async () =>
    expect(await get(id)).toMatchObject({ state: "exited", exitCode: null }),
  );
  await kernel.events.first(TerminalExited);
  expect(kernel.events.all(TerminalExited)).toHaveLength(1);
  await Promise.all([gone(pid), gone(away)]);
  const next = await openShell();
  expect((await get(next.id)).state).toBe("running");
});

test(
  "a host that goes down again and again is started five times more, not for ever",
  { tags: "thorough" },
  async () => {
    const { kernel, open, api, hostPid } = await startTerminals();
    for (let round = 0; round <= 5; round++) {
      await open();
      const pid = await hostPid();
      process.kill(pid, "SIGKILL");
      await gone(pid);
      await vi.waitFor(async () => {
        const { body } = await api.get<{ items: { state: string }[] }>(
          "/api/terminals",
        );
        expect(body.items.every(({ state }) => state === "exited")).toBe(true);
      });
    }
    expect(await api.post("/api/terminals", {})).toMatchObject({
      status: 503,
      body: {
        code: "TERMINAL_UNAVAILABLE",
        detail: expect.stringContaining("6 times"),
      },
    });
    await kernel.clock.advance(10 * 60_000 + 1);
    await open();
  },
);

test("a host that hangs is noticed, ended, and replaced", async () => {
  const { kernel, open, get, hostPid } = await startTerminals();
  const { id } = await open();
  const pid = await hostPid();
  process.kill(pid, "SIGSTOP");
  kernel.expectFault(/does not answer/);
  for (let beat = 0; beat < 6; beat++) await kernel.clock.advance(5_000);
  await gone(pid);
  await vi.waitFor(async () => expect((await get(id)).state).toBe("exited"));
  await open();
  expect(await hostPid()).not.toBe(pid);
});

test(
  "when the plugin's folder goes, so does everything in its terminals",
  { tags: "thorough" },
  async () => {
    const { open, stop, hostPid } = await startTerminals();
    const { pid } = await open();
    const host = await hostPid();
    const [command] = (await readFile(`/proc/${host}/cmdline`, "utf8")).split(
      "\0",
    );
    expect(command).toBe(process.execPath);
    await stop({ killsHost: false });
    await Promise.all([gone(host), gone(pid)]);
  },
);

test("a host in which nothing is left ends with the daemon", async () => {
  const { kernel, open, api, hostPid } = await startTerminals();
  const { id } = await open();
  const host = await hostPid();
  await api.delete(`/api/terminals/${id}`);
  await kernel.restart();
  await gone(host);
});

test("no second daemon gets in", async () => {
  const { kernel, openShell, look, hostPid } = await startTerminals();
  const { id } = await openShell();
  const viewer = await look(id);
  await hostPid();
  const { HostClient } = await import("../src/hosting/host-client.ts");
  const stranger = await HostClient.connect(
    join(kernel.home, "data", "terminals", "host.sock"),
  );
  await expect(stranger.request("list", {})).rejects.toThrow("gone");
  viewer.type("echo st''ill\r");
  await viewer.sees("still");
});
