import { expect, test } from "vitest";
import { foldEntries } from "../../ui/conversation/foldEntries.ts";
import { reuseRows } from "../../ui/conversation/reuseRows.ts";
import type { Row } from "../../ui/conversation/rows.ts";
import { toRows, type LiveEnd } from "../../ui/conversation/toRows.ts";
import type { Entry } from "../../ui/wire.ts";
import { entry, ran, said } from "./support/entries.ts";

const kindsOf = (rows: readonly Row[]) => rows.map(({ kind }) => kind);
const find = <Kind extends Row["kind"]>(rows: readonly Row[], kind: Kind) =>
  rows.find((row) => row.kind === kind) as Extract<Row, { kind: Kind }>;
const usage = (figures: Partial<NonNullable<Entry["usage"]>>) =>
  entry({
    kind: "usage",
    role: "system",
    text: "",
    usage: { inputTokens: null, outputTokens: null, costUsd: null, ...figures },
  });
const quiet: LiveEnd = { turn: null, growing: [], dialogs: [], sending: [] };

test("a turn becomes its message, its work, its answer and its figures", () => {
  const rows = foldEntries(
    [
      said("go"),
      entry({ kind: "thinking", text: "hm" }),
      ran("bash", { command: "ls" }),
      entry({ text: "Done." }),
      usage({ inputTokens: 10, costUsd: 0.1 }),
      usage({ inputTokens: 5, outputTokens: 7 }),
    ],
    undefined,
    true,
  );
  expect(kindsOf(rows)).toEqual([
    "day",
    "message",
    "thinking",
    "tool",
    "answer",
    "turn-end",
  ]);
  expect(find(rows, "turn-end")).toMatchObject({
    usage: { inputTokens: 15, outputTokens: 7, costUsd: 0.1 },
    answer: "Done.",
  });
});

test("a tool of a browser is told with the element that its ref meant before", () => {
  const page = (...lines: string[]) =>
    ran(
      "browser_snapshot",
      {},
      {
        text: `<page-1>\nShop\n${lines.join("\n")}\n</page-1>`,
      },
    );
  const click = (ref: string) => ran("browser_click", { ref });
  const rows = foldEntries(
    [
      page(
        "- main [ref=e1]",
        '  - button "Buy" [disabled] [ref=e2]',
        '  - link "a [ref=e4] \\" [ref=e4]" [ref=e3] http://a.test/?[ref=e4]: "- x [ref=e4]"',
        '  - textbox "Name" [focused] [ref=e4]: "Ada"',
      ),
      ...["e1", "e2", "e3", "e4", "e5", "e"].map(click),
      page('- button "Bought" [ref=e2]'),
      click("e2"),
    ],
    "trn_1",
    true,
  );
  expect(
    rows.flatMap((row) =>
      row.kind === "tool" && row.call.name === "browser_click"
        ? [row.call.element]
        : [],
    ),
  ).toEqual([
    "main",
    'button "Buy"',
    'link "a [ref=e4] \\" [ref=e4]"',
    'textbox "Name"',
    undefined,
    undefined,
    'button "Bought"',
  ]);
  const tool = { name: "browser_click", title: "", input: '{"ref":"e4"}' };
  const growing = { type: "tool", id: "t", tool: { ...tool, output: "" } };
  const live = { ...quiet, growing: [growing] } as unknown as LiveEnd;
  expect(toRows(rows, live).at(-1)).toMatchObject({
    call: { element: 'textbox "Name"', state: "running" },
  });
});

test("an answer is what was said after the last tool", () => {
  const rows = foldEntries(
    [
      said("go"),
      entry({ text: "I will look." }),
      ran("bash", {}),
      entry({ text: "First." }),
      entry({ text: "Second." }),
    ],
    undefined,
    true,
  );
  expect(find(rows, "turn-end").answer).toBe("First.\n\nSecond.");
});

test("figures of a turn whose beginning was not read are not told", () => {
  const part = [entry({ text: "so far" }), usage({ costUsd: 1 })];
  const cut = foldEntries(part, undefined, false);
  expect(find(cut, "turn-end")).toMatchObject({
    usage: null,
    durationMs: null,
  });
  const whole = foldEntries(part, undefined, true);
  expect(find(whole, "turn-end").usage).toMatchObject({ costUsd: 1 });
});

test("the turn that runs has no end yet", () => {
  const rows = foldEntries([said("go"), entry({})], "trn_1", true);
  expect(kindsOf(rows)).toEqual(["day", "message", "answer"]);
});

test("entries outside of turns end a turn and have none", () => {
  const rows = foldEntries(
    [
      said("go"),
      entry({ text: "Done." }),
      entry({ turnId: null, role: "system", kind: "notice", text: "closed" }),
    ],
    undefined,
    true,
  );
  expect(kindsOf(rows)).toEqual([
    "day",
    "message",
    "answer",
    "turn-end",
    "notice",
  ]);
});

test("a turn that was cut off says so, and is no failure of the agent", () => {
  const cut = { turnId: "trn_1", at: "2026-03-02T10:00:01.500Z" };
  const rows = foldEntries(
    [
      said("go"),
      entry({
        ...cut,
        role: "system",
        kind: "error",
        text: "Cut.",
        cutOff: true,
      }),
      entry({ turnId: null, role: "system", kind: "error", text: "Failed." }),
    ],
    undefined,
    true,
  );
  expect(kindsOf(rows)).toEqual([
    "day",
    "message",
    "cut-off",
    "turn-end",
    "error",
  ]);
  expect(find(rows, "cut-off")).toMatchObject({ ...cut, text: "Cut." });
});

test("a new day has a separator, but not above entries that may have more of that day before them", () => {
  const entries = [
    said("one", { at: "2026-03-02T10:00:00.000Z" }),
    said("two", { at: "2026-03-05T10:00:00.000Z" }),
  ];
  expect(kindsOf(foldEntries(entries, "trn_1", false))).toEqual([
    "message",
    "day",
    "message",
  ]);
});

test("neighbouring steps are joined, also across the seam to what runs", () => {
  const past = foldEntries(
    [said("go"), ran("bash", {}), ran("read", {})],
    "trn_1",
    true,
  );
  const rows = toRows(past, {
    ...quiet,
    turn: { id: "trn_1", startedAt: 0, usage: null },
    growing: [
      {
        type: "tool",
        id: "ent_live",
        tool: {
          entryId: "ent_live",
          callId: "c",
          name: "grep",
          title: "grep",
          input: "{}",
          output: "",
        },
      },
    ],
  });
  const joints = rows.flatMap((row) => ("joint" in row ? [row.joint] : []));
  expect(joints).toEqual([
    { above: false, below: true },
    { above: true, below: true },
    { above: true, below: false },
  ]);
});

test("a row keeps its key when it is finished, so that it is not rendered again", () => {
  const growing = toRows([], {
    ...quiet,
    growing: [{ type: "text", id: "ent_x", text: "Hel" }],
  });
  const done = foldEntries(
    [entry({ id: "ent_x", text: "Hello" })],
    "trn_1",
    false,
  );
  expect(find(growing, "answer").key).toBe(find(done, "answer").key);
});

test("rows that say the same stay the same objects when others come, so that they are not drawn again", () => {
  const fold = (list: readonly Entry[]) => foldEntries(list, "trn_2", true);
  const entries = [
    said("go"),
    ran("bash", { command: "ls" }),
    entry({ text: "Done." }),
    usage({ inputTokens: 10 }),
    ran("bash", { command: "pwd" }, { turnId: "trn_2" }),
  ];
  const before = fold(entries);
  const next = ran("bash", { command: "id" }, { turnId: "trn_2" });
  // As they are when the end is read again.
  const again = structuredClone(entries);
  const after = reuseRows(fold([...again, next]), before);
  expect(kindsOf(after)).toEqual([...kindsOf(before), "tool"]);
  // The last tool is joined with the one that came.
  const kept = before.length - 1;
  for (const [index, row] of before.slice(0, kept).entries())
    expect(after[index]).toBe(row);
  expect(after[kept]).not.toBe(before[kept]);
  expect(after).toEqual(fold([...again, next]));
});

test("a question replaces the sign that the agent is working", () => {
  const turn = { id: "trn_1", startedAt: 0, usage: null };
  expect(kindsOf(toRows([], { ...quiet, turn }))).toEqual(["working"]);
  const dialog = {
    id: "dlg_1",
    agentId: "agt_1",
    kind: "permission" as const,
    title: "May I?",
    body: "",
    options: [],
    takesText: false,
  };
  expect(kindsOf(toRows([], { ...quiet, turn, dialogs: [dialog] }))).toEqual([
    "dialog",
  ]);
});

test("texts of nothing are not shown", () => {
  const rows = foldEntries([entry({ text: " \n" })], "trn_1", false);
  expect(rows).toEqual([]);
});
