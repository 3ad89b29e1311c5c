import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { changedRange } from "../../ui/repository/changedRange.ts";
import { highlightLines } from "../../ui/repository/highlightLines.ts";
import { toDiffFiles } from "../../ui/repository/diffFile.ts";
import { parsePatch } from "../../ui/repository/parsePatch.ts";
import { toSegments } from "../../ui/repository/toSegments.ts";
import { digestLines } from "../../ui/review/digestLines.ts";
import { keepReview, readReview } from "../../ui/review/keptReview.ts";
import {
  placeOf,
  toExcerpt,
  toReviewMessage,
  type ReviewComment,
} from "../../ui/review/reviewComment.ts";

const PATCH = `diff --git a/src/a.ts b/src/a.ts
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,5 +1,5 @@
 one
 two
-const cents: number = 1;
+const cents: bigint = 1n;
 four
 five
@@ -20,2 +20,3 @@
 twenty
+added
 last
`;
const lines = parsePatch(PATCH)[0]?.lines ?? [];

describe("words that differ", () => {
  const marked = (before: string, after: string) => {
    const ranges = changedRange(before, after);
    const cut = (text: string, range?: { from: number; to: number }) =>
      range && text.slice(range.from, range.to);
    return [cut(before, ranges.before), cut(after, ranges.after)];
  };

  test.each([
    ["cents: number;", "cents: bigint;", "number", "bigint"],
    ["return price;", "return prices;", "price", "prices"],
    ["a(b)", "a(b, c)", undefined, ", c"],
    ["if (a) {", "if (a && b) {", undefined, " && b"],
    ["x", "x", undefined, undefined],
    ["alpha", "omega", undefined, undefined],
  ])("of %j and %j are %j and %j", (before, after, removed, added) => {
    expect(marked(before, after)).toEqual([removed, added]);
  });

  test("leave what both lines have outside of them", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const { before: one, after: other } = changedRange(before, after);
        if (!one || !other) return;
        const rest = (
          text: string,
          { from, to }: { from: number; to: number },
        ) => text.slice(0, from) + text.slice(to);
        expect(rest(before, one)).toBe(rest(after, other));
      }),
    );
  });

  test("are looked for in lines that were replaced one by one", () => {
    const [file] = toDiffFiles(PATCH, []);
    const found = lines.flatMap(({ text }, index) => {
      const range = file?.changeAt(index);
      return range ? [text.slice(range.from, range.to)] : [];
    });
    expect(found).toEqual(["number = 1", "bigint = 1n"]);
  });
});

describe("colours", () => {
  test("come from the language of the name, line by line", async () => {
    const code = ["/* a", "   b */", "const a = 'x';"];
    const found = await highlightLines("a.ts", code);
    const told = found.map((tokens, index) =>
      tokens.map(({ from, to, class: name }) => [
        code[index]?.slice(from, to),
        name,
      ]),
    );
    expect(told).toEqual([
      [["/* a", "text-muted"]],
      [["   b */", "text-muted"]],
      expect.arrayContaining([
        ["const", "text-primary"],
        ["'x'", "text-success"],
      ]),
    ]);
    expect(await highlightLines("a.unknown", code)).toEqual([[], [], []]);
    const long = "const a = 1; ".repeat(200);
    const [none, some] = await highlightLines("a.ts", [long, "const a = 1;"]);
    expect([none, some?.length]).toEqual([[], 3]);
  });

  test("and changes cut a line into parts that are the line again", () => {
    const place = fc.nat(30);
    const part = fc.tuple(place, place).map(([one, other]) => ({
      from: Math.min(one, other),
      to: Math.max(one, other),
      class: "text-muted",
    }));
    fc.assert(
      fc.property(
        fc.string({ maxLength: 20 }),
        fc.array(part, { maxLength: 4 }),
        fc.option(part, { nil: undefined }),
        (text, tokens, changed) => {
          const segments = toSegments(text, tokens, changed);
          expect(segments.map((segment) => segment.text).join("")).toBe(text);
        },
      ),
    );
  });
});

describe("comments", () => {
  const comment: ReviewComment = {
    id: "1",
    ...{ path: "src/a.ts", side: "after", line: 3 },
    excerpt: toExcerpt(lines, 4),
    text: "Use number.",
  };

  test("are about a line as it was or as it is, and take those around it in its hunk along", () => {
    expect(lines.map((line) => placeOf("a", line)?.line)).toEqual([
      ...[undefined, 1, 2, 3, 3, 4, 5],
      ...[undefined, 20, 21, 22],
    ]);
    expect(placeOf("a", lines[3]!)?.side).toBe("before");
    expect(toExcerpt(lines, 4)).toBe(
      " one\n two\n-const cents: number = 1;\n+const cents: bigint = 1n;\n four\n five",
    );
    expect(toExcerpt(lines, 8)).toBe(" twenty\n+added\n last");
  });

  test("go to the agent as one message that nothing in them breaks out of", () => {
    expect(toReviewMessage([comment])).toBe(
      `A comment on your changes:\n\nsrc/a.ts, line 3:\n\`\`\`diff\n${comment.excerpt}\n\`\`\`\nUse number.`,
    );
    const fenced = { ...comment, side: "before" as const, excerpt: "+````" };
    expect(toReviewMessage([comment, fenced])).toContain(
      "2 comments on your changes:",
    );
    expect(toReviewMessage([fenced])).toContain(
      "line 3 before the change:\n`````diff\n+````\n`````\n",
    );
  });

  test("and marks are kept by the browser until they are sent; what is wrong there is left out", () => {
    const store = new Map<string, string>();
    vi.stubGlobal("localStorage", {
      getItem: (key: string) => store.get(key) ?? null,
      setItem: (key: string, text: string) => store.set(key, text),
      removeItem: (key: string) => store.delete(key),
    });
    const begun = { ...comment, id: "2", text: "" };
    const kept = {
      comments: [comment, begun],
      drafts: new Map([["2", "Half a th"]]),
      viewed: new Map([["a", "1-x"]]),
    };
    keepReview("agt_1", kept);
    expect(readReview("agt_1")).toEqual(kept);
    const none = { comments: [], drafts: new Map(), viewed: new Map() };
    // One in which nothing was written is not worth keeping.
    keepReview("agt_1", { ...none, comments: [begun] });
    expect(readReview("agt_1")).toEqual(none);
    keepReview("agt_1", none);
    expect(store.size).toBe(0);
    for (const text of [
      "{",
      "7",
      "null",
      '{"comments":[{}],"drafts":7,"viewed":[1]}',
    ]) {
      store.set("gantry-agents-review-agt_1", text);
      expect(readReview("agt_1")).toEqual(none);
    }
  });
  afterEach(() => vi.unstubAllGlobals());

  test("know a file by its lines: another change is another digest", () => {
    const other = lines.map((line, index) =>
      index === 4 ? { ...line, text: `${line.text} ` } : line,
    );
    expect(digestLines(lines)).toBe(digestLines([...lines]));
    expect(digestLines(other)).not.toBe(digestLines(lines));
  });
});
