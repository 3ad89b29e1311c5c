import { spawn } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { startTerminals } from "./support/start-terminals.ts";

/** Shows every byte that it reads in one line, as a CLI that takes pastes would get them. */
const RAW_READER = `node -e 'process.stdin.setRawMode(true);process.stdout.write("\\u001b[?2004h"+"up\\n");process.stdin.on("data",d=>process.stdout.write(JSON.stringify(String(d)).slice(1,-1)))'`;

test("what is typed stays at the prompt, and only the user presses Enter", async () => {
  const { openShell, look, api } = await startTerminals();
  const { id } = await openShell();
  const viewer = await look(id);
  expect(
    (await api.post(`/api/terminals/${id}/type`, { text: "echo hi" })).status,
  ).toBe(200);
  await viewer.sees("echo hi");
  for (const text of ["\r", "\n", "a\u0003", "\u001b[A", "\u009b2J"])
    expect(await api.post(`/api/terminals/${id}/type`, { text })).toMatchObject(
      { status: 400, body: { code: "TERMINAL_TEXT_CONTROL" } },
    );
});

test("a command runs at an empty prompt, of several lines too", async () => {
  const { openShell, look, api, user } = await startTerminals();
  const { id } = await openShell();
  const viewer = await look(id);
  const command = `echo one > "$HOME/made"\necho "two\tx" >> "$HOME/made"`;
  expect((await api.post(`/api/terminals/${id}/run`, { command })).status).toBe(
    200,
  );
  await vi.waitFor(async () =>
    expect(await readFile(join(user, "made"), "utf8")).toBe("one\ntwo\tx\n"),
  );
  await viewer.sees("two");
});

test("no command reaches a running program, or what is half typed", async () => {
  const { openShell, look, api, get } = await startTerminals();
  const { id, name } = await openShell();
  const viewer = await look(id);
  const run = (command = "echo stray") =>
    api.post<{ code: string; detail: string }>(`/api/terminals/${id}/run`, {
      command,
    });
  viewer.type("cat\r");
  await vi.waitFor(async () => expect((await get(id)).prompt).toBe("busy"));
  expect(await run()).toMatchObject({
    status: 409,
    body: { code: "TERMINAL_BUSY", detail: expect.stringContaining(name) },
  });
  // Output that looks like a prompt of ours is only output.
  viewer.type("\u0016\u001b]133;B\u0016\u0007\r");
  // Not as the terminal repeats it, but as the program does, which then runs and gets the next key.
  await viewer.sees("\u001b]133;B\u0007");
  expect((await run()).status).toBe(409);
  viewer.type("\u0003");
  await vi.waitFor(async () => expect((await get(id)).prompt).toBe("ready"));
  viewer.type("rm -rf /nowhere");
  await viewer.sees("nowhere");
  expect(await run()).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("typed") },
  });
  viewer.type("\u0015");
  await vi.waitFor(async () =>
    expect((await run("echo r$((1))n")).status).toBe(200),
  );
  await viewer.sees("r1n");
  expect(viewer.text()).not.toContain("stray");
});

test("a shell without integration says that the state of its prompt is unknown", async () => {
  const { open, api, get } = await startTerminals();
  const { id } = await open({ command: "sh" });
  expect((await get(id)).prompt).toBe("unknown");
  expect(
    await api.post(`/api/terminals/${id}/run`, { command: "true" }),
  ).toMatchObject({
    status: 409,
    body: {
      code: "TERMINAL_BUSY",
      detail: expect.stringContaining("does not tell"),
    },
  });
});

test("a prompt is one paste, whatever is in it, and then Enter", async () => {
  const { open, look, api } = await startTerminals();
  const { id } = await open({ kind: "cli", command: RAW_READER });
  const viewer = await look(id);
  await viewer.sees("up");
  const text = "first\nsecond \u001b[201~\u009b201~\u0003 rm -rf / é\u{1f600}";
  expect((await api.post(`/api/terminals/${id}/prompt`, { text })).status).toBe(
    200,
  );
  // On a busy machine the reader may get all of it at once; that there is a pause is tested in the host.
  await viewer.sees(
    JSON.stringify(
      "\u001b[200~first\rsecond [201~201~ rm -rf / é\u{1f600}\u001b[201~\r",
    ).slice(1, -1),
  );
});

test("a prompt is not run by a shell, nor a command typed into a CLI", async () => {
  const { open, openShell, api } = await startTerminals();
  const shell = await openShell();
  expect(
    await api.post(`/api/terminals/${shell.id}/prompt`, { text: "ls" }),
  ).toMatchObject({ status: 409, body: { code: "TERMINAL_KIND" } });
  const cli = await open({ kind: "cli", command: "cat" });
  expect(
    await api.post(`/api/terminals/${cli.id}/run`, { command: "ls" }),
  ).toMatchObject({ status: 409, body: { code: "TERMINAL_KIND" } });
  // It takes no pastes, so that its first line would be sent off alone.
  expect(
    await api.post(`/api/terminals/${cli.id}/prompt`, { text: "a\nb" }),
  ).toMatchObject({ status: 409, body: { code: "TERMINAL_KIND" } });
});

test("input for a program that is gone is refused", async () => {
  const { openShell, look, api } = await startTerminals();
  const { id, incarnation } = await openShell();
  expect(
    await api.post(`/api/terminals/${id}/run`, {
      command: "true",
      incarnation: "another",
    }),
  ).toMatchObject({ status: 409, body: { code: "TERMINAL_REPLACED" } });
  const viewer = await look(id);
  viewer.type("exit\r");
  await viewer.hears({ type: "exit" });
  expect(
    await api.post(`/api/terminals/${id}/type`, { text: "x", incarnation }),
  ).toMatchObject({ status: 409, body: { code: "TERMINAL_REPLACED" } });
  expect(
    await api.post(`/api/terminals/${id}/type`, { text: "x" }),
  ).toMatchObject({ status: 409, body: { code: "TERMINAL_EXITED" } });
});

test("input that the program does not read is kept up to a limit, and costs no processor", async () => {
  const { open, look, api, hostPid } = await startTerminals();
  const { id } = await open({
    kind: "cli",
    command: "stty raw -echo; echo up; sleep 1000",
  });
  const viewer = await look(id);
  await viewer.sees("up");
  for (let round = 0; round < 20; round++)
    viewer.type(Buffer.alloc(60_000, "x"));
  await viewer.hears({ type: "error", code: "TERMINAL_INPUT_FULL" });
  expect(
    await api.post(`/api/terminals/${id}/type`, { text: "x".repeat(100_000) }),
  ).toMatchObject({ status: 409, body: { code: "TERMINAL_INPUT_FULL" } });
  const host = await hostPid();
  const spinning = spawn("/bin/sh", ["-c", "while :; do :; done"]);
  onTestFinished(() => void spinning.kill("SIGKILL"));
  const before = await ticksOf(host);
  await vi.waitFor(async () =>
    expect(await ticksOf(spinning.pid!)).toBeGreaterThan(50),
  );
  // One that tried all the time would get as much as this one.
  const spent = (await ticksOf(host)) - before;
  expect(spent / (await ticksOf(spinning.pid!))).toBeLessThan(0.5);
});

/** Processor time that a process has spent, in ticks of the system. */
async function ticksOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/** The terminals' ends that a host process holds. */
async function countPtys(host: number): Promise<number> {
  const names = await readdir(`/proc/${host}/fd`);
  const targets = await Promise.all(
    names.map((name) => readlink(`/proc/${host}/fd/${name}`).catch(() => "")),
  );
  return targets.filter((target) => target.includes("ptmx")).length;
}

test("what is typed into a program that has closed its terminal reaches no other", async () => {
  const { open, openShell, look, api, hostPid } = await startTerminals();
  const closed = await open({
    kind: "cli",
    command: "trap '' HUP; exec <&- >&- 2>&-; exec sleep 300",
  });
  const host = await hostPid();
  await vi.waitFor(async () => expect(await countPtys(host)).toBe(0));
  // It gets the number of the descriptor that the first one had.
  const { id } = await openShell();
  expect(await countPtys(host)).toBe(1);
  const viewer = await look(id);
  const stray = await api.post(`/api/terminals/${closed.id}/type`, {
    text: "stray",
  });
  expect(stray).toMatchObject({
    status: 409,
    body: { code: "TERMINAL_EXITED" },
  });
  const first = await look(closed.id);
  first.say({ type: "resize", cols: 33, rows: 11 });
  first.type("stray");
  await first.hears({ type: "resize", cols: 33, rows: 11 });
  viewer.type("echo mine; stty size\r");
  await viewer.sees("mine");
  await viewer.sees("24 80");
  expect(viewer.text()).not.toContain("stray");
});
