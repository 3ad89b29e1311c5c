import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runs } from "@gantry/build/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  applyBlocks,
  parseHunks,
  toLines,
  type Block,
} from "../../src/shipping/hunks.ts";
import { reverseBlocks } from "../../src/shipping/reverse-blocks.ts";
import { createRepository, plainGit } from "../help/plain-git.ts";
import { temporaryFolder } from "../help/temporary.ts";
import { createViews } from "./support/create-views.ts";
import { Discarding, readState } from "./support/discarding.ts";

const openView = createViews();

const PLACES = [3, 25, 47];
/** A file of 60 lines, three of which are other ones; not UTF-8, and without a line end at its end. */
function toText(texts: readonly (string | undefined)[], end = "\n"): Buffer {
  const lines = Array.from({ length: 60 }, (_, index) => {
    const place = PLACES.indexOf(index);
    return (place < 0 ? undefined : texts[place]) ?? `caf\xe9 ${index}`;
  });
  return Buffer.from(lines.join(end), "latin1");
}

const version = fc.array(
  fc.option(fc.constantFrom("one", "two", "tw\xf6", "", "a\nb"), {
    nil: undefined,
  }),
  { minLength: 3, maxLength: 3 },
);

test(
  "any hunks are discarded one after the other, and undone in reverse to the same bytes and the same index",
  { tags: "thorough" },
  async () => {
    const cwd = await createRepository(join(await temporaryFolder(), "work"), {
      a: toText([]),
    });
    const view = new Discarding(await openView(cwd));
    await fc.assert(
      fc.asyncProperty(
        version,
        version,
        fc.boolean(),
        fc.array(fc.nat(2), { minLength: 1, maxLength: 3 }),
        async (staged, changed, isCrlf, order) => {
          const end = isCrlf ? "\r\n" : "\n";
          await plainGit(cwd, "reset", "-q", "--hard");
          await plainGit(cwd, "config", "core.autocrlf", String(isCrlf));
          await writeFile(join(cwd, "a"), toText(staged, end));
          await plainGit(cwd, "add", "a");
          await writeFile(join(cwd, "a"), toText(changed, end));
          const states: [string, string | null][] = [];
          for (const pick of order) {
            const { patch } = await view.patch("a");
            const count = parseHunks(patch).length;
            if (count === 0) break;
            const state = await readState(cwd);
            const { status, body } = await view.hunk("a", pick % count);
            expect(status, JSON.stringify(body)).toBe(200);
            const left = parseHunks((await view.patch("a")).patch);
            expect(left).toHaveLength(count - 1);
            states.push([state, body.undoId]);
          }
          for (const [state, undoId] of states.toReversed()) {
            const { status, body } = await view.undo(undoId);
            expect(status, JSON.stringify(body)).toBe(200);
            expect(await readState(cwd)).toBe(state);
          }
        },
      ),
      { numRuns: runs(5) },
    );
  },
);

test("a hunk that was staged is staged no more, and the others stay as they are", async () => {
  const cwd = await createRepository(join(await temporaryFolder(), "work"), {
    a: toText([]),
  });
  const view = new Discarding(await openView(cwd));
  await writeFile(join(cwd, "a"), toText(["one", "two", "three"]));
  await plainGit(cwd, "add", "a");
  await writeFile(join(cwd, "a"), toText(["one", "two", "four"]));
  const { body } = await view.hunk("a", 1);
  expect(await readFile(join(cwd, "a"))).toEqual(
    toText(["one", undefined, "four"]),
  );
  await writeFile(join(cwd, "b"), toText(["one", undefined, "three"]));
  expect(await plainGit(cwd, "rev-parse", ":a")).toBe(
    await plainGit(cwd, "hash-object", "b"),
  );
  expect(await view.list()).toMatchObject([{ paths: ["a"], isHunk: true }]);
  await writeFile(join(cwd, "a"), toText(["1", undefined, "four"]));
  expect((await view.undo(body.undoId)).body.code).toBe("FILES_CHANGED_SINCE");
});

test("a hunk that is another one now is refused, and nothing is written", async () => {
  const cwd = await createRepository(join(await temporaryFolder(), "work"), {
    a: toText([]),
    wide: Buffer.from("\ufeff1\n2\n", "utf16le"),
    ".gitattributes": "wide working-tree-encoding=UTF-16LE-BOM\n",
  });
  const view = new Discarding(await openView(cwd));
  await writeFile(join(cwd, "a"), toText(["one"]));
  const { patch } = await view.patch("a");
  await writeFile(join(cwd, "a"), toText(["two"]));
  await writeFile(join(cwd, "wide"), Buffer.from("\ufeff1\n3\n", "utf16le"));
  const before = await readState(cwd);
  const { body } = await view.shown("a", patch, 0);
  expect(body.code).toBe("GIT_HUNK_CHANGED");
  expect((await view.hunk("wide", 0)).body).toMatchObject({
    code: "GIT_DISCARD_IMPOSSIBLE",
    detail: expect.stringContaining("discard the whole file") as string,
  });
  expect(await readState(cwd)).toBe(before);
});

test("the other lines keep their ends, also where they are mixed", () => {
  const block: Block = { at: 1, removed: ["b\n"], added: ["B\n", "C\n"] };
  const other: Block = { at: 3, removed: [], added: ["e\n"] };
  const stored = "a\nb\nc\n";
  const now = applyBlocks(stored, [block, other])!;
  const shown = "a\nB\r\nC\r\nc\ne\r\n";
  const pair = (text: string) => ({
    before: { stored, shown: stored.replaceAll("\n", "\r\n") },
    after: { stored: now, shown: text },
  });
  const reverse = (text: string) =>
    reverseBlocks(pair(text), [block, other], [block]);
  expect(reverse(shown)).toBe("a\nb\r\nc\ne\r\n");
  expect(reverse(shown.replace("C", "D"))).toBe(undefined);
  expect(toLines(reverse(shown)!)).toHaveLength(4);
});
