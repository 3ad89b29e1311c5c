import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Log } from "@gantry/plugin";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AgentGate } from "../../src/agents/agent-gate.ts";
import type { Entry } from "../../src/transcript/entry.ts";
import type { TranscriptLine } from "../../src/transcript/mark.ts";
import { Transcript } from "../../src/transcript/transcript.ts";
import { Transcripts } from "../../src/transcript/transcripts.ts";
import { createRealClock } from "@gantry/agent-kit/testing";

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
let folder: string;
const create = () =>
  new Transcript(join(folder, "t.jsonl"), createRealClock(), silent);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-adopt-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const COUNT = 4000;
const TEXT = "x".repeat(1000);

function toLine(number: number): TranscriptLine {
  const entry: Entry = {
    ...{ id: `ent_${number}`, parentId: null, turnId: null },
    ...{ at: "2026-01-01T00:00:00.000Z", role: "user", kind: "text" },
    text: `${number} ${TEXT}`,
  };
  return { type: "entry", entry };
}

function* manyLines(each: () => void): Generator<TranscriptLine> {
  for (let number = 0; number < COUNT; number += 1) {
    each();
    yield toLine(number);
  }
}

/** Counts the iterations of the event loop while something runs. */
async function countTurns(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const over = work.finally(() => (isOver = true));
  while (!isOver) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    turns += 1;
  }
  await over;
  return turns;
}

test("copying and reading a long conversation does not block the event loop", async () => {
  const transcript = create();
  let taken = 0;
  let atFirstTurn: number | undefined;
  setImmediate(() => (atFirstTurn = taken));
  const adopting = transcript.adopt(manyLines(() => (taken += 1)));
  expect(await countTurns(adopting)).toBeGreaterThan(COUNT / 1000);
  expect(atFirstTurn).toBeLessThan(COUNT / 4);

  let read = 0;
  const reading = (async () => {
    for await (const line of transcript.walk())
      if (line.type === "entry") read += 1;
  })();
  expect(await countTurns(reading)).toBeGreaterThan(COUNT / 1000);
  expect(read).toBe(COUNT);
  await transcript.close();
});

test("nothing is copied of a conversation that cannot be read to its end", async () => {
  const transcript = create();
  const [before] = await transcript.append([
    { turnId: null, role: "user", kind: "text", text: "before" },
  ]);
  function* torn(): Generator<TranscriptLine> {
    yield* manyLines(() => undefined);
    throw new Error("torn");
  }
  await expect(transcript.adopt(torn())).rejects.toThrow("torn");
  expect(await readdir(folder)).toEqual(["t.jsonl"]);
  expect((await transcript.page(10))?.items).toEqual([before]);
  await transcript.close();
});

test("an incomplete copy that a crash left is removed at the next start", async () => {
  for (const name of ["agt_1.jsonl.tmp_1", "agt_2.jsonl"])
    await writeFile(join(folder, name), "{}\n");
  await Transcripts.create(folder, createRealClock(), silent, new AgentGate());
  expect(await readdir(folder)).toEqual(["agt_2.jsonl"]);
});
