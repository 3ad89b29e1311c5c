import { definePlugin } from "@gantry/plugin";
import { expect, test, vi } from "vitest";
import { TerminalHost, TerminalPanes } from "../src/contract.ts";
import { startTerminals } from "./support/start-terminals.ts";

/** Another plugin, which uses the terminals. */
async function startBeside() {
  let services!: { panes: TerminalPanes; host: TerminalHost };
  const user = definePlugin({
    id: "user",
    api: 1,
    summary: "Uses terminals",
    mounts: [],
    needs: { panes: TerminalPanes, host: TerminalHost },
    setup: (ctx) => void (services = ctx.needs),
  });
  const started = await startTerminals({ beside: [user] });
  return { ...started, ...services, signal: new AbortController().signal };
}

test("a plugin shows a program in a terminal, sends text into it, and ends it", async () => {
  const { host, panes, look, user, signal, api } = await startBeside();
  const opened = await host.open(
    {
      name: "Ada",
      cwd: user,
      program: {
        file: "/bin/sh",
        args: [
          "-c",
          'printf "\\033[?2004h$WHO is up\\n"; read x; echo "got $x"; exec cat',
        ],
        env: { WHO: "practice" },
      },
      cli: "practice",
      agent: { id: "agt_x", name: "Ada" },
    },
    signal,
  );
  const id = opened.terminalId;
  const viewer = await look(id);
  await viewer.sees("practice is up");
  expect(await host.describe({ id }, signal)).toMatchObject({
    ...{ id, name: "Ada", kind: "cli", cli: "practice", agent: "Ada" },
    ...{ pid: opened.pid, state: "running", exitCode: null },
    incarnation: opened.incarnation,
  });
  expect((await panes.list({}, signal)).items).toMatchObject([{ id }]);
  const { incarnation } = opened;
  await host.paste({ id, incarnation, text: "some words" }, signal);
  await viewer.sees(/got .*some words/);
  await expect(
    host.paste({ id, incarnation: "other", text: "x" }, signal),
  ).rejects.toMatchObject({ code: "TERMINAL_REPLACED" });
  await panes.prompt({ id, incarnation, text: "more" }, signal);
  await viewer.sees("more");
  await host.close({ id }, signal);
  expect(await host.describe({ id }, signal)).toBe(null);
  expect(() => process.kill(opened.pid, 0)).toThrow();
  await host.close({ id }, signal);
  expect((await api.get("/api/terminals")).body).toMatchObject({ items: [] });
});

test("panes are those that run, with what is known of their prompt", async () => {
  const { panes, openShell, look, signal } = await startBeside();
  const { id, incarnation } = await openShell();
  expect(await panes.describe({ id }, signal)).toMatchObject({
    kind: "shell",
    cli: null,
    agent: null,
    atPrompt: true,
  });
  const viewer = await look(id);
  await panes.run({ id, incarnation, text: "echo r''un" }, signal);
  await viewer.sees("run");
  viewer.type("exit\r");
  await vi.waitFor(async () =>
    expect(await panes.describe({ id }, signal)).toBe(null),
  );
  await expect(
    panes.run({ id, incarnation, text: "x" }, signal),
  ).rejects.toMatchObject({ code: "TERMINAL_REPLACED" });
});

test("a program that is not there is no terminal", async () => {
  const { host, user, signal, api } = await startBeside();
  const program = { file: "/no/such/program", args: [], env: {} };
  await expect(
    host.open(
      { name: "x", cwd: user, program, cli: null, agent: null },
      signal,
    ),
  ).rejects.toMatchObject({ code: "TERMINAL_NOT_STARTED" });
  expect((await api.get("/api/terminals")).body).toMatchObject({ items: [] });
});
