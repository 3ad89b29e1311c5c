import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  appendRun,
  readHistory,
  renderHistory,
} from "../src/measure/history.ts";
import type { BenchRun } from "../src/measure/history.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-history-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const runOf = (number: number, rows: BenchRun["rows"] = []): BenchRun => ({
  at: `2026-01-${String(number).padStart(2, "0")}T00:00:00.000Z`,
  commit: `c${number}`,
  machine: "2 cores",
  rows,
});

test("a file keeps the last ten runs, the newest last", async () => {
  const file = join(folder, "artifacts", "history.json");
  for (let number = 1; number <= 12; number++)
    await appendRun(file, runOf(number));
  const commits = (await readHistory(file)).map(({ commit }) => commit);
  expect(commits).toEqual(
    [3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((n) => `c${n}`),
  );
  expect(JSON.parse(await readFile(file, "utf8"))).toHaveLength(10);
});

test("a file that is missing or damaged is begun again", async () => {
  const file = join(folder, "history.json");
  expect(await readHistory(file)).toEqual([]);
  for (const content of ["", "[{", "{}", '[null, 3, {"at": 1}]']) {
    await writeFile(file, content);
    expect(await appendRun(file, runOf(1))).toEqual([runOf(1)]);
  }
});

test("the table has a line for each figure and a column for each run", () => {
  const row = (what: string, ratio: number, aim = "≤ 1.5 ×") => {
    return { what, ours: "3 ms", ratio, aim, isMet: ratio <= 1.5 };
  };
  expect(
    renderHistory([
      runOf(1, [row("Start", 1.25), row("A | B", 2)]),
      runOf(2, [row("Start", 1.6), row("Start", 1, "≤ 5 ms")]),
    ]),
  ).toBe(
    [
      "| What | Aim | c1 2026-01-01 | c2 2026-01-02 |",
      "| --- | --- | --- | --- |",
      "| Start | ≤ 1.5 × | 1.25 (3 ms) | **1.60 (3 ms)** |",
      "| A \\| B | ≤ 1.5 × | **2.00 (3 ms)** |  |",
      "| Start | ≤ 5 ms |  | 1.00 (3 ms) |",
    ].join("\n"),
  );
});
