import { realpath } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { startTerminals } from "./support/start-terminals.ts";

test("a shell runs what is typed, and says how it ended", async () => {
  const { open, look, get, kernel } = await startTerminals();
  const terminal = await open({ name: "build" });
  expect(terminal).toMatchObject({
    name: "build",
    kind: "shell",
    state: "running",
  });
  const viewer = await look(terminal.id);
  viewer.type("echo $((6*7))\r");
  await viewer.sees("\u000742\r\n");
  viewer.type("exit 3\r");
  await viewer.receives({ type: "exit", exitCode: 3, signal: null });
  await vi.waitFor(async () =>
    expect(await get(terminal.id)).toMatchObject({
      state: "exited",
      exitCode: 3,
      pid: null,
    }),
  );
  expect(kernel.events.all().map(({ type }) => type)).toEqual(
    expect.arrayContaining([
      "terminals.terminal-opened",
      "terminals.terminal-exited",
    ]),
  );
  // Its last screen stays.
  const later = await look(terminal.id);
  await later.receives({ type: "exit", exitCode: 3 });
  expect(await later.screen()).toContain("echo $((6*7))\n42");
});

test("it is in the folder that was asked for, and follows the shell", async () => {
  const { openShell, look, get, user } = await startTerminals();
  const { id, cwd } = await openShell();
  expect(cwd).toBe(await realpath(user));
  const viewer = await look(id);
  viewer.type("cd /\r");
  await vi.waitFor(async () => expect((await get(id)).cwd).toBe("/"));
});

test("shells get nothing of the daemon's own environment", async () => {
  const { openShell, look } = await startTerminals();
  const { id } = await openShell();
  const viewer = await look(id);
  viewer.type("env | grep -c -e only-the-daemon -e NONCE; echo $TERM\r");
  await viewer.sees("\u00070\r\nxterm-256color");
});
