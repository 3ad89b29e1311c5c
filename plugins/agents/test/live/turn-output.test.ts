import fc from "fast-check";
import { expect, test } from "vitest";
import { Turn } from "../../src/live/turn.ts";

function beginTool(): Turn {
  const turn = new Turn({
    id: "trn_1",
    taskId: null,
    runId: null,
    startedAt: "2026-01-01T00:00:00.000Z",
  });
  turn.beginTool({ callId: "c", name: "bash", title: "bash", input: "{}" });
  return turn;
}

test("an output that the CLI repeats completely is published once, piece by piece", () => {
  const turn = beginTool();
  let output = "";
  let published = "";
  for (let line = 0; line < 500; line += 1) {
    output += `line ${line}\n`;
    published += turn.growTool("c", output)?.text ?? "";
  }
  expect(published).toBe(output);
  expect(turn.growTool("c", output)).toBeUndefined();
});

test("the published pieces add up to the output, whatever the CLI repeats", () => {
  const step = fc.oneof(
    fc.record({ more: fc.string() }),
    fc.record({ whole: fc.string() }),
  );
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const turn = beginTool();
      let shown = "";
      let expected = "";
      for (const each of steps) {
        expected = "more" in each ? expected + each.more : each.whole;
        const change = turn.growTool("c", expected);
        if (change) shown = (change.isWhole ? "" : shown) + change.text;
        expect(shown).toBe(expected);
      }
    }),
  );
});

test("only the end of an endless output is kept", () => {
  const turn = beginTool();
  for (let count = 0; count < 3000; count += 1)
    turn.appendTool("c", `${String(count).padStart(99, ".")}\n`);
  const [entry] = turn.leftovers();
  expect(entry?.text.length).toBeLessThan(200_000);
  expect(entry?.text.endsWith("2999\n")).toBe(true);
});
