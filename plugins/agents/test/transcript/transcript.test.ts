import {
  appendFile,
  mkdtemp,
  open,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Log } from "@gantry/plugin";
import fc from "fast-check";
import { costRatio, runs } from "@gantry/build/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { NO_USAGE } from "../../src/live/usage.ts";
import { cutText, type NewEntry } from "../../src/transcript/entry.ts";
import { Transcript } from "../../src/transcript/transcript.ts";
import { createRealClock } from "../help/real-clock.ts";

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-transcript-"));
  path = join(folder, "t.jsonl");
});
afterEach(async () => {
  await Promise.all(created.splice(0).map((transcript) => transcript.close()));
  await rm(folder, { recursive: true, force: true });
});

/** Some are left open by their test, as by a daemon that is killed. */
const created: Transcript[] = [];

function create(file = path): Transcript {
  const transcript = new Transcript(file, createRealClock(), silent);
  created.push(transcript);
  return transcript;
}

const entry = (text: string): NewEntry => ({
  turnId: null,
  role: "user",
  kind: "text",
  text,
});

async function readAll(
  transcript: Transcript,
  limit: number,
): Promise<string[]> {
  const texts: string[] = [];
  let before: number | undefined;
  for (;;) {
    const page = await transcript.page(limit, before);
    if (!page) throw new Error("The cursor was not taken.");
    texts.push(...page.items.map(({ text }) => text));
    if (page.next === null) return texts.reverse();
    before = page.next;
  }
}

describe("the sessions of a transcript", () => {
  const cost = (reportedCostUsd: number | null): NewEntry => ({
    ...{ turnId: null, role: "system", kind: "usage", text: "" },
    ...{ usage: NO_USAGE, reportedCostUsd },
  });
  const mark = (sessionId: string, more: object = {}) => ({
    ...{ sessionId, resumeKey: `key-${sessionId}` },
    ...{ isFresh: true, isReturn: false, ...more },
  });

  test("are found with what the CLI reported last of each", async () => {
    const transcript = create();
    await transcript.noteSession(mark("a"));
    await transcript.append([cost(1), cost(2), cost(null)]);
    await transcript.noteSession(mark("b"));
    await transcript.append([cost(5)]);
    await transcript.noteSession(mark("c"));
    const back = { isFresh: false, isReturn: true };
    await transcript.noteSession(mark("a", { ...back, resumeKey: "new" }));
    await transcript.append([entry("no report")]);
    await transcript.noteSession(mark("d", { isFresh: false }));
    await transcript.append([cost(7)]);
    const totalOf = async (sessionId: string) =>
      (await transcript.findSession(sessionId))?.reportedCostUsd;
    expect(await transcript.findSession("a")).toEqual({
      sessionId: "a",
      resumeKey: "new",
      reportedCostUsd: 2,
    });
    expect(await totalOf("b")).toBe(5);
    expect(await totalOf("c")).toBeNull();
    expect(await totalOf("d")).toBe(7);
    expect(await transcript.findSession("e")).toBeUndefined();
    expect(await create().findSession("b")).toMatchObject({ sessionId: "b" });
  });

  test("know what was said in them: a fresh one that, a copy also what it is of", async () => {
    const transcript = create();
    const say = async (...texts: string[]) => {
      const all = await transcript.append(texts.map((text) => entry(text)));
      return all.at(-1)!.id;
    };
    const knownBefore = async (id: string) => {
      const { session, promptsBefore } = (await transcript.find(id))!;
      return [session?.sessionId ?? null, promptsBefore];
    };
    expect(await knownBefore(await say("1", "2", "3"))).toEqual([null, 2]);
    await transcript.noteSession(mark("copy", { isFresh: false }));
    expect(await knownBefore(await say("4", "5"))).toEqual(["copy", 4]);
    await transcript.noteSession(mark("fresh"));
    expect(await knownBefore(await say("6", "7"))).toEqual(["fresh", 1]);
    const back = { isFresh: false, isReturn: true };
    await transcript.noteSession(mark("copy", back));
    expect(await knownBefore(await say("8"))).toEqual(["copy", 5]);
    await transcript.noteSession(mark("fresh", back));
    expect(await knownBefore(await say("9", "10"))).toEqual(["fresh", 3]);
    await transcript.noteSession(mark("copy of it", { isFresh: false }));
    expect(await knownBefore(await say("11"))).toEqual(["copy of it", 4]);
  });
});

test("any texts come back in order, whatever the size of a page", async () => {
  const texts = fc.array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ minLength: 3000, maxLength: 70_000 }),
    ),
    { maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(
      texts,
      fc.integer({ min: 1, max: 7 }),
      async (all, limit) => {
        await rm(path, { force: true });
        const transcript = create();
        for (const text of all) await transcript.append([entry(text)]);
        const wanted = all.map(
          (text) => JSON.parse(JSON.stringify(text)) as string,
        );
        expect(await readAll(transcript, limit)).toEqual(wanted);
        await transcript.close();
      },
    ),
    { numRuns: runs(60) },
  );
});

test("a file cut at any byte loses at most its last entry, and can be continued", async () => {
  const whole = create();
  const texts = ["one", "zwei €", "three\nlines\nhere", "🦊".repeat(50)];
  for (const text of texts) await whole.append([entry(text)]);
  await whole.close();
  const bytes = await readFile(path);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: bytes.length }), async (cut) => {
      const file = await open(path, "w");
      await file.writeFile(bytes);
      await file.truncate(cut);
      await file.close();
      const kept =
        bytes.subarray(0, cut).toString("latin1").split("\n").length - 1;
      const transcript = create();
      expect(await readAll(transcript, 2)).toEqual(texts.slice(0, kept));
      await transcript.append([entry("after")], { durable: true });
      expect(await readAll(transcript, 2)).toEqual([
        ...texts.slice(0, kept),
        "after",
      ]);
      await transcript.close();
    }),
    { numRuns: runs(80) },
  );
});

test("entries are chained, also over a restart", async () => {
  const first = create();
  const [one] = await first.append([entry("1")]);
  await first.close();
  const second = create();
  const [two, three] = await second.append([entry("2"), entry("3")]);
  expect([one?.parentId, two?.parentId, three?.parentId]).toEqual([
    null,
    one?.id,
    two?.id,
  ]);
  await second.close();
});

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test("entries that are withdrawn are out of the conversation, and what followed them is not", async () => {
  const step = fc.oneof(
    fc.record({ append: fc.string({ maxLength: 5 }) }),
    fc.record({ withdraw: fc.nat({ max: 8 }) }),
    fc.constant({ reopen: true }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      await rm(path, { force: true });
      const transcript = create();
      const model: string[] = [];
      const entriesOf = async () =>
        (await collect(transcript.walk())).flatMap((line) =>
          line.type === "entry" ? [line.entry] : [],
        );
      for (const each of steps) {
        if ("append" in each) {
          await transcript.append([entry(each.append)]);
          model.push(each.append);
        } else if ("withdraw" in each) {
          const at = model.length - 1 - each.withdraw;
          const known = (await entriesOf())[at];
          await transcript.withdraw(known?.id ?? "ent_unknown");
          if (known) model.splice(at, 1);
        } else await transcript.close();
        const entries = await entriesOf();
        expect(entries.map(({ text }) => text)).toEqual(model);
        expect(entries.map(({ parentId }) => parentId)).toEqual([
          ...(entries.length > 0 ? [null] : []),
          ...entries.slice(0, -1).map(({ id }) => id),
        ]);
      }
      await transcript.close();
    }),
    { numRuns: runs(60) },
  );
});

test("a damaged line costs itself alone", async () => {
  const transcript = create();
  await transcript.append([entry("before")]);
  await transcript.close();
  await appendFile(path, '{"id":"x"}\nno json\n\u0000\u0000\n');
  await transcript.append([entry("after")]);
  expect(await readAll(transcript, 10)).toEqual(["before", "after"]);
  await transcript.close();
});

test("a page costs what it gives, not what the file holds", async () => {
  const line = `${JSON.stringify({ ...entry("x".repeat(1000)), id: "ent_1", parentId: null, at: "2026-01-01T00:00:00.000Z" })}\n`;
  await writeFile(path, line.repeat(100));
  const short = create();
  expect((await short.page(50))?.items).toHaveLength(50);
  const longPath = `${path}-long`;
  const file = await open(longPath, "w");
  for (let count = 0; count < 100; count += 1)
    await file.write(line.repeat(1000));
  await file.close();
  expect((await stat(longPath)).size).toBeGreaterThan(100_000_000);
  const long = create(longPath);
  expect((await long.page(50))?.items).toHaveLength(50);
  // A thousand times as long; who read it whole would need hundreds of times as long.
  expect(
    await costRatio(
      () => long.page(50),
      () => short.page(50),
    ),
  ).toBeLessThan(5);
});

test("a page of long entries ends early, and the next one continues there", async () => {
  const transcript = create();
  const long = "y".repeat(250 * 1024);
  for (let count = 0; count < 40; count += 1)
    await transcript.append([entry(`${count}${long}`)]);
  const page = await transcript.page(500);
  expect(page?.items.length).toBeLessThan(20);
  expect(page?.next).not.toBeNull();
  expect(await readAll(transcript, 500)).toHaveLength(40);
  await transcript.close();
});

test("a place that is no beginning of an entry is refused", async () => {
  const transcript = create();
  await transcript.append([entry("one"), entry("two")]);
  const size = await transcript.bytes();
  expect(await transcript.page(1, 5)).toBeUndefined();
  expect(await transcript.page(1, size + 1)).toBeUndefined();
  expect((await transcript.page(1, size))?.items[0]?.text).toBe("two");
  expect(await transcript.page(5, 0)).toEqual({ items: [], next: null });
  await transcript.close();
});

test("an agent that never spoke has an empty conversation", async () => {
  expect(await create().page(50)).toEqual({ items: [], next: null });
  expect(await create().page(50, 17)).toBeUndefined();
  expect(await create().bytes()).toBe(0);
});

test("what was removed is gone, and the file may begin again", async () => {
  const transcript = create();
  await transcript.append([entry("secret")]);
  await transcript.remove();
  await transcript.remove();
  expect(await transcript.page(1)).toEqual({ items: [], next: null });
  const [first] = await transcript.append([entry("new")]);
  expect(first?.parentId).toBeNull();
  await transcript.close();
});

test("appends that come at once are all kept, in order", async () => {
  const transcript = create();
  const texts = Array.from({ length: 200 }, (_, index) => String(index));
  await Promise.all(texts.map((text) => transcript.append([entry(text)])));
  expect(await readAll(transcript, 33)).toEqual(texts);
  await transcript.close();
});

test("a symbolic link in its place is not followed", async () => {
  const { symlink } = await import("node:fs/promises");
  const target = join(folder, "elsewhere");
  await appendFile(target, "");
  await symlink(target, path);
  await expect(create().append([entry("x")])).rejects.toThrow();
  await truncate(target, 0);
});

test("a text is cut between characters, not inside one", () => {
  expect(cutText("ab🦊", 3)).toEqual({ text: "ab", truncated: true });
  expect(cutText("ab🦊", 4)).toEqual({ text: "ab🦊" });
});

test("a disk that is full takes nothing, and what was there stays", async () => {
  const transcript = create();
  await transcript.append([entry("before")]);
  const probe = await open(path, "r");
  const handle = Object.getPrototypeOf(probe) as typeof probe;
  await probe.close();
  const original = handle.write;
  const write = vi.spyOn(handle, "write");
  // The first half of the line still fits.
  write.mockImplementationOnce(function (
    this: typeof probe,
    ...args: unknown[]
  ) {
    const [bytes, offset, length, position] = args as [
      Buffer,
      number,
      number,
      number,
    ];
    const half = Math.floor(length / 2);
    return Reflect.apply(original, this, [bytes, offset, half, position]);
  } as never);
  write.mockRejectedValueOnce(
    Object.assign(new Error("no space"), { code: "ENOSPC" }),
  );
  await expect(transcript.append([entry("too much")])).rejects.toMatchObject({
    code: "AGENT_DISK_FULL",
    status: 507,
  });
  write.mockRestore();
  expect(await readAll(transcript, 10)).toEqual(["before"]);
  await transcript.append([entry("after")]);
  expect(await readAll(transcript, 10)).toEqual(["before", "after"]);
  await transcript.close();
});
