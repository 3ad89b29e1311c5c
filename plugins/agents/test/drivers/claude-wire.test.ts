import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AgentDriver, OpenSession } from "../../src/driver.ts";
import { createClaudeDriver } from "../../src/drivers/claude/claude-driver.ts";
import {
  findCopyEnd,
  findRecord,
} from "../../src/drivers/claude/claude-record.ts";
import { standIn } from "../help/agents-kernel.ts";
import { DriverBench, type BenchSession } from "../help/driver-bench.ts";
import { until } from "../help/wait.ts";

const NEVER = new AbortController().signal;
const WIRE =
  "-p --input-format stream-json --output-format stream-json --verbose --include-partial-messages --replay-user-messages --permission-prompt-tool stdio".split(
    " ",
  );

let bench: DriverBench;
let driver: AgentDriver;

beforeAll(async () => {
  bench = await DriverBench.start();
  driver = createClaudeDriver(bench.host);
});
afterAll(() => bench.stop());

const inputOf = (more: Partial<OpenSession> = {}) =>
  bench.input(
    {
      args: standIn("fake-claude")?.args ?? [],
      env: { HOME: bench.folder },
      version: "2.1.197",
    },
    more,
  );
const argvOf = async (open: BenchSession) =>
  JSON.parse((await open.turn("[[argv]]")).answer) as string[];

test("settings are flags, and the extra prompt a file that only the user can read", async () => {
  const input = await inputOf({
    model: "opus",
    thinking: "high",
    extraPrompt: "Always rhyme.",
    readOnly: true,
  });
  const open = await bench.open(driver, input);
  const argv = await argvOf(open);
  const file = join(input.folder, "extra-prompt.md");
  expect(argv.slice(0, WIRE.length)).toEqual(WIRE);
  const rest = argv.slice(WIRE.length);
  expect(rest.slice(0, 8)).toEqual([
    ...["--session-id", open.session.sessionId, "--model", "opus"],
    ...["--effort", "high", "--append-system-prompt-file", file],
  ]);
  expect(rest[8]).toBe("--tools");
  expect(rest[9]?.split(",")).toContain("Read");
  for (const tool of ["Bash", "Edit", "Write", "Agent", "Task"])
    expect(rest[9]?.split(",")).not.toContain(tool);
  expect(rest.slice(10)).toEqual(["--strict-mcp-config"]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await open.session.end();
});

test("one that asks first has its shell, and asks whatever the user has allowed", async () => {
  const open = await bench.open(driver, await inputOf({ asksFirst: true }));
  const rest = (await argvOf(open)).slice(WIRE.length + 2);
  expect(rest[0]).toBe("--tools");
  expect(rest[1]?.split(",")).toEqual(expect.arrayContaining(["Read", "Bash"]));
  for (const tool of ["Edit", "Write", "NotebookEdit", "Task"])
    expect(rest[1]?.split(",")).not.toContain(tool);
  expect(rest.slice(2, 5)).toEqual([
    ...["--permission-mode", "default", "--settings"],
  ]);
  expect(JSON.parse(rest[5] ?? "")).toEqual({
    permissions: { ask: expect.arrayContaining(["Bash"]) as string[] },
    sandbox: { autoAllowBashIfSandboxed: false },
    disableAllHooks: true,
  });
  expect(rest.slice(6)).toEqual(["--strict-mcp-config"]);
});

test("of a folder that is not trusted no settings and no tool servers are taken", async () => {
  const open = await bench.open(driver, await inputOf({ trusted: false }));
  expect((await argvOf(open)).slice(WIRE.length + 2)).toEqual([
    ...["--setting-sources", "user", "--strict-mcp-config"],
  ]);
});

test("a permanent permission holds for the session, and is not written into the folder", async () => {
  const open = await bench.open(driver, await inputOf());
  const turn = open.turn("[[ask:git push]][[reply:pushed]]");
  const { dialog } = await until(() => open.of("dialog-opened")[0], "asked");
  expect(dialog).toMatchObject({ kind: "permission", tool: "Bash" });
  expect(dialog.options.map(({ id, kind }) => [id, kind])).toEqual([
    ["allow", "allow-once"],
    ["always", "allow-always"],
    ["deny", "reject-once"],
  ]);
  await open.session.answer(
    dialog.id,
    { kind: "option", optionId: "always" },
    NEVER,
  );
  expect((await turn).answer).toBe("pushed");
});

test("questions are asked one after the other", async () => {
  const open = await bench.open(driver, await inputOf());
  const questions = [
    {
      question: "Which colour?",
      options: [{ label: "Red", description: "warm" }, { label: "Blue" }],
    },
    { question: "Which sizes?", multiSelect: true, options: [{ label: "S" }] },
  ];
  const turn = open.turn(`[[question:${JSON.stringify(questions)} ]]`);
  const first = await until(() => open.of("dialog-opened")[0], "asked");
  expect(first.dialog).toMatchObject({
    kind: "question",
    title: "Which colour?",
    body: "Red: warm",
    takesText: true,
  });
  await open.session.answer(
    first.dialog.id,
    { kind: "option", optionId: "Red" },
    NEVER,
  );
  const second = await until(() => open.of("dialog-opened")[1], "asked again");
  expect(second.dialog.body).toContain("commas");
  await open.session.answer(
    second.dialog.id,
    { kind: "text", value: "S, M" },
    NEVER,
  );
  expect(JSON.parse((await turn).answer)).toEqual({
    "Which colour?": "Red",
    "Which sizes?": "S, M",
  });
});

test("a plan is told whole, of either kind of tool", async () => {
  const open = await bench.open(driver, await inputOf());
  const tool = (name: string, input: object, result: object = {}) =>
    `[[tool:${name}|${JSON.stringify(input)}|${JSON.stringify(result)}]]`;
  const todo = { content: "look", status: "in_progress", activeForm: "x" };
  await open.turn(tool("TodoWrite", { todos: [todo] }));
  const created = { task: { id: "7", subject: "check" } };
  await open.turn(
    tool("TaskCreate", { subject: "check", description: "" }, created) +
      tool("TaskUpdate", { taskId: "7", status: "completed" }) +
      tool("TaskUpdate", { taskId: "99", status: "completed" }),
  );
  const look = { text: "look", status: "in_progress" };
  expect(open.of("plan").map(({ items }) => items)).toEqual([
    [look],
    [look, { text: "check", status: "pending" }],
    [look, { text: "check", status: "completed" }],
  ]);
});

test("a message that is steered while the model answers is of the same turn", async () => {
  const open = await bench.open(driver, await inputOf());
  const turn = open.turn("[[reply:first]][[sleep:200]]");
  await until(() => open.of("message").length > 0, "it answers");
  await open.session.steer({ text: "[[reply:steered]]", images: [] }, NEVER);
  expect((await turn).answer).toBe("steered");
  expect(open.of("turn-ended")).toHaveLength(1);
});

test("an answer that is too long to read ends the turn all the same", async () => {
  const open = await bench.open(driver, await inputOf());
  const { answer, stopReason } = await open.turn("[[big:22]]");
  expect([answer.length, stopReason]).toEqual([1_100_000, "end"]);
  expect(
    open
      .of("notice")
      .map(({ text }) => text)
      .join(),
  ).toContain("not counted");
});

test("what shrinking does is told in tokens, and nothing of it is an answer", async () => {
  const open = await bench.open(driver, await inputOf());
  await open.turn("[[reply:x]]");
  const before = open.of("message").length;
  expect(await open.session.compact?.(NEVER)).toEqual({
    compacted: true,
    tokensBefore: 1636,
    tokensAfter: 643,
  });
  expect(open.of("message")).toHaveLength(before);
  expect(open.of("turn-ended")).toHaveLength(1);
});

test("a total that makes no sense is unknown, and ends nothing", async () => {
  const open = await bench.open(driver, await inputOf());
  const costs: (number | null)[] = [];
  for (const cost of ["0.5", "much", "0.5"]) {
    const { stopReason } = await open.turn(`[[reply:x]][[cost:${cost}]]`);
    expect(stopReason).toBe("end");
    costs.push(open.of("usage").at(-1)?.usage.costUsd ?? null);
  }
  expect(costs[0]).toBe(0.5);
  expect(costs[1]).toBeNull();
});

test("a conversation that is lost starts over, and says so", async () => {
  const input = await inputOf();
  const open = await bench.open(driver, input);
  await open.turn("one [[reply:one]]");
  await open.session.end();
  const { sessionId } = open.session;
  const file = await findRecord(input.command, input.cwd, sessionId);
  await rm(file ?? "");
  const again = await bench.open(driver, {
    ...input,
    resume: open.resumePoint(),
  });
  expect(again.session.sessionId).not.toBe(sessionId);
  expect(again.of("notice")[0]?.text).toContain("begins again");
  expect((await again.turn("[[recall]]")).answer).toBe('recall ["[[recall]]"]');
});

test("a copy ends before a message of the current branch, and counts only messages of the user", async () => {
  const file = join(bench.folder, "record.jsonl");
  const row = (uuid: string, parentUuid: string | null, more: object) =>
    JSON.stringify({ uuid, parentUuid, ...more });
  const user = (content: unknown) => ({ type: "user", message: { content } });
  const assistant = { type: "assistant", message: { content: [] } };
  await writeFile(
    file,
    [
      '{"type":"queue-operation"}',
      row("u1", null, user("one")),
      row("a1", "u1", assistant),
      row("x1", "a1", user("an abandoned branch")),
      row("u2", "a1", user([{ type: "text", text: "two" }])),
      row("s1", "u2", { ...user("a helper's"), isSidechain: true }),
      row("m1", "u2", { ...user("a reminder"), isMeta: true }),
      row("r1", "m1", user([{ type: "tool_result", content: "x" }])),
      row("i1", "r1", user("[Request interrupted by user]")),
      "torn {",
      row("b1", null, { type: "system", logicalParentUuid: "i1" }),
      row("c1", "b1", { ...user("a summary"), isCompactSummary: true }),
      row("u3", "c1", user([{ type: "image" }])),
      row("a3", "u3", assistant),
      "",
    ].join("\n"),
  );
  expect(await findCopyEnd(file, 0)).toEqual({ kind: "nothing" });
  expect(await findCopyEnd(file, 1)).toEqual({ kind: "at", uuid: "a1" });
  expect(await findCopyEnd(file, 2)).toEqual({ kind: "at", uuid: "c1" });
  expect(await findCopyEnd(file, 3)).toEqual({ kind: "all" });
});

test("an id that is none finds no record, wherever it would lead", async () => {
  const { command, cwd } = await inputOf();
  await writeFile(join(bench.folder, "x.jsonl"), "");
  for (const id of ["../../x", "", "/etc/passwd"])
    expect(await findRecord(command, cwd, id)).toBeNull();
});

test("its screen continues a conversation, or begins one by an id of ours", async () => {
  const input = { ...(await inputOf()), receiver: { url: "", token: "" } };
  const fresh = await driver.screen?.(input, NEVER);
  const { sessionId } = fresh?.session ?? {};
  expect(fresh?.args.slice(-2)).toEqual(["--session-id", sessionId]);
  expect(fresh).toMatchObject({ hasReceiver: false, env: input.command.env });
  const open = await bench.open(driver, input);
  await open.turn("one [[reply:one]]");
  const shown = await driver.screen?.(
    { ...input, resume: open.resumePoint() },
    NEVER,
  );
  expect(shown?.args.slice(-2)).toEqual(["--resume", open.session.sessionId]);
});

test.each([
  ["2.1.197", ["auth", "login"]],
  ["2.0.14", ["/login"]],
])("the login of %s", (version, args) => {
  const login = driver.login?.({ file: "/x", args: [], env: {}, version });
  expect(login).toEqual({ file: "/x", args, env: {} });
});

test("each start is seen with its arguments alone", async () => {
  const lines = await readFile(join(bench.folder, "argv.jsonl"), "utf8");
  expect(lines).not.toContain("Always rhyme");
});
