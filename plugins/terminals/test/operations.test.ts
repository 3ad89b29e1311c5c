import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import {
  TerminalChanged,
  TerminalClosed,
  TerminalOpened,
} from "../src/contract.ts";
import { startTerminals } from "./support/start-terminals.ts";
import type { Terminal } from "./support/start-terminals.ts";

test("terminals are listed newest first, renamed, and closed, and each is told", async () => {
  const { open, api, kernel } = await startTerminals();
  const first = await open({ name: "first" });
  await kernel.clock.advance(1);
  const second = await open();
  expect(second.name).toBe("bash");
  const list = async () =>
    (await api.get<{ items: Terminal[] }>("/api/terminals")).body.items;
  expect((await list()).map(({ id }) => id)).toEqual([second.id, first.id]);
  const renamed = await api.patch<Terminal>(`/api/terminals/${first.id}`, {
    name: "build",
  });
  expect(renamed).toMatchObject({ status: 200, body: { name: "build" } });
  const stale = { headers: { "if-match": `"${first.revision}"` } };
  expect(
    (await api.request("DELETE", `/api/terminals/${first.id}`, stale)).status,
  ).toBe(412);
  expect((await api.delete(`/api/terminals/${first.id}`)).status).toBe(200);
  expect(await list()).toHaveLength(1);
  expect(kernel.events.all(TerminalOpened)).toHaveLength(2);
  expect(kernel.events.all(TerminalChanged)).toMatchObject([
    { subject: first.id, data: { name: "build", kind: "shell" } },
  ]);
  expect(kernel.events.all(TerminalClosed)).toMatchObject([
    { subject: first.id },
  ]);
});

test("what cannot be opened says why, and nothing is left of it", async () => {
  const { api, user } = await startTerminals();
  const file = join(user, "file");
  await writeFile(file, "", { mode: 0o600 });
  await symlink("/nowhere", join(user, "dangling"));
  for (const [body, status, code] of [
    [{ cwd: "/nowhere" }, 400, "TERMINAL_FOLDER_MISSING"],
    [{ cwd: file }, 400, "TERMINAL_FOLDER_MISSING"],
    [{ cwd: join(user, "dangling") }, 400, "TERMINAL_FOLDER_MISSING"],
    [{ cwd: "relative" }, 400, "TERMINAL_FOLDER_MISSING"],
    [{ cwd: "" }, 400, "TERMINAL_FOLDER_MISSING"],
    [{ cwd: "/tmp\0/x" }, 400, "TERMINAL_FOLDER_MISSING"],
    [{ kind: "cli" }, 400, "TERMINAL_COMMAND_MISSING"],
    [{ kind: "cli", command: "  " }, 400, "TERMINAL_COMMAND_MISSING"],
    [{ command: "no-such-shell" }, 502, "TERMINAL_NOT_STARTED"],
    [{ command: "../../bin/sh" }, 502, "TERMINAL_NOT_STARTED"],
    [{ command: file }, 502, "TERMINAL_NOT_STARTED"],
    [{ kind: "other" }, 400, "INPUT_INVALID"],
    [{ name: "two\nlines" }, 400, "INPUT_INVALID"],
    [{ name: "x".repeat(101) }, 400, "INPUT_INVALID"],
    [{ extra: 1 }, 400, "INPUT_INVALID"],
  ] as const)
    expect(
      await api.post("/api/terminals", { cwd: user, ...body }),
      JSON.stringify(body),
    ).toMatchObject({ status, body: { code } });
  expect((await api.get("/api/terminals")).body).toMatchObject({ items: [] });
});

test("the number of terminals is limited, however many are asked for at once", async () => {
  const { api, user } = await startTerminals({
    settings: { terminals: { mostTerminals: 3 } },
  });
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => api.post("/api/terminals", { cwd: user })),
  );
  expect(
    answers.filter(({ status }) => status === 200).length,
  ).toBeLessThanOrEqual(3);
  expect(
    answers.filter(({ status }) => status === 409).length,
  ).toBeGreaterThanOrEqual(5);
  await vi.waitFor(async () => {
    const { body } = await api.get<{ items: unknown[] }>("/api/terminals");
    expect(body.items.length).toBeLessThanOrEqual(3);
  });
});

test("a program that ends at once is a terminal that has ended", async () => {
  const { open, get } = await startTerminals();
  const { id } = await open({ kind: "cli", command: "exit 9" });
  await vi.waitFor(async () =>
    expect(await get(id)).toMatchObject({ state: "exited", exitCode: 9 }),
  );
  const killed = await open({ kind: "cli", command: "kill -TERM $$" });
  await vi.waitFor(async () =>
    expect(await get(killed.id)).toMatchObject({
      state: "exited",
      exitCode: null,
      signal: "SIGTERM",
    }),
  );
});
