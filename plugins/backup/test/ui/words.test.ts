import { describe, expect, test } from "vitest";
import { newerOf, percentOf, restoreSteps } from "../../ui/backup/jobWords.ts";
import { nextStepsOf } from "../../ui/backup/problemSteps.ts";
import {
  countKept,
  everyInWords,
  keepInWords,
} from "../../ui/backup/scheduleWords.ts";
import { standingOf } from "../../ui/backup/stateWords.ts";
import { toShellWord } from "../../ui/overview/toShellWord.ts";
import type { Job } from "../../ui/wire.ts";
import { emptyState, toSnapshot } from "../browser/support/samples.ts";

const now = Date.parse("2026-11-22T14:00:00.000Z");
const before = (minutes: number) =>
  new Date(now - minutes * 60_000).toISOString();

test.each([
  [15, "every 15 minutes"],
  [60, "every hour"],
  [90, "every 90 minutes"],
  [180, "every 3 hours"],
  [1440, "every day"],
  [2880, "every 2 days"],
  [10_080, "every week"],
])("a schedule of %d minutes is %s", (minutes, words) => {
  expect(everyInWords(minutes)).toBe(words);
});

test("what is kept is a sentence with its number", () => {
  expect(keepInWords(30, true)).toBe(
    "Keeps everything of the last 24 hours, one a day for 30 days, then one a week permanently.",
  );
  expect(keepInWords(1, false)).toMatch(/last day, nothing older\.$/);
  expect(countKept(60, 30)).toBe(53);
  expect(countKept(1440, 30)).toBe(30);
  expect(countKept(10_080, 30)).toBe(6);
});

describe("how the backup stands", () => {
  const settings = { ...emptyState.settings, folder: "/mnt/disk" };
  const good = {
    ...emptyState,
    settings,
    snapshots: 1,
    lastSnapshot: toSnapshot({ createdAt: before(12) }),
  };
  const problem = { code: "BACKUP_DISK_FULL", message: "Full.", at: before(1) };

  test("is nothing while no folder is chosen", () => {
    expect(standingOf(emptyState, now)).toBeUndefined();
  });

  test.each([
    [{}, "success", "Your data is backed up"],
    [{ lastSnapshot: null }, "attention", "No snapshot yet"],
    [{ problem }, "failed", "The backup disk is full"],
    [
      { problem: { ...problem, code: "BACKUP_NEW_CODE" } },
      "failed",
      "The last backup failed",
    ],
    [
      { lastSnapshot: toSnapshot({ createdAt: before(12), problem }) },
      "failed",
      "The newest snapshot is not proven",
    ],
    [
      { lastSnapshot: toSnapshot({ createdAt: before(181) }) },
      "attention",
      "The last snapshot is old",
    ],
    [
      { lastSnapshot: toSnapshot({ createdAt: before(179) }) },
      "success",
      "Your data is backed up",
    ],
  ])("with %o it is %s", (changes, tone, title) => {
    expect(standingOf({ ...good, ...changes }, now)).toMatchObject({
      tone,
      title,
    });
  });

  test("has a page for each problem that one can be put right on", () => {
    expect(nextStepsOf("BACKUP_DISK_FULL").map(({ label }) => label)).toEqual([
      "Choose another folder",
      "Keep fewer snapshots",
    ]);
    expect(nextStepsOf("BACKUP_BUSY")).toEqual([]);
    expect(nextStepsOf("constructor")).toEqual([]);
  });
});

describe("a job", () => {
  const job: Job = {
    kind: "restore",
    snapshotId: null,
    step: "staging",
    startedAt: before(1),
    doneBytes: 250,
    totalBytes: 1000,
  };

  test("is done only when it is over", () => {
    expect(percentOf(job)).toBe(25);
    expect(percentOf({ ...job, doneBytes: 1200 })).toBe(99);
    expect(percentOf({ ...job, totalBytes: null })).toBeUndefined();
    expect(percentOf({ ...job, totalBytes: 0 })).toBeUndefined();
  });

  test("is reported by the report that is further, whichever comes last", () => {
    const further = { ...job, doneBytes: 300 };
    const nextStep = { ...job, step: "replacing" as const, doneBytes: 0 };
    const next = { ...job, startedAt: before(0), step: "checking" as const };
    for (const [older, newer] of [
      [job, further],
      [further, nextStep],
      [nextStep, next],
    ] as const) {
      expect(newerOf(older, newer)).toBe(newer);
      expect(newerOf(newer, older)).toBe(newer);
    }
    expect(newerOf(undefined, job)).toBe(job);
    expect(newerOf(job, undefined)).toBe(job);
  });

  test("that restores is at one step, with all before it done", () => {
    const states = (step: Job["step"]) =>
      restoreSteps({ ...job, step }).map(({ state }) => state);
    expect(states("staging")).toEqual(["active", "waiting", "waiting"]);
    expect(states("safety-snapshot")).toEqual(["done", "active", "waiting"]);
    expect(states("replacing")).toEqual(["done", "done", "active"]);
    // Steps that have no line of their own.
    expect(states("checking")).toEqual(states("staging"));
    expect(states("rehearsing")).toEqual(states("staging"));
    expect(states("reading")[0]).toBe("active");
    expect(restoreSteps(undefined)[0]?.state).toBe("active");
  });
});

test.each([
  ["/mnt/disk", "/mnt/disk"],
  ["/mnt/my disk", "'/mnt/my disk'"],
  ["/mnt/it's; rm -rf $HOME", String.raw`'/mnt/it'\''s; rm -rf $HOME'`],
])("%s is one word for a shell", (path, word) => {
  expect(toShellWord(path)).toBe(word);
});
