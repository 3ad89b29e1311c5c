import { expect, test } from "vitest";
import type { Snapshot } from "../../src/contract.ts";
import { chooseNewest } from "../../ui/restore/chooseNewest.ts";
import { toSnapshot } from "../browser/support/samples.ts";

const NOW = Date.parse("2026-03-02T12:00:00.000Z");
const MINUTE_MS = 60_000;

const problem = {
  ...{ code: "BACKUP_SNAPSHOT_CORRUPT", message: "Damaged." },
  at: "2026-03-02T12:00:00.000Z",
};
const at = (minutes: number, fields: Partial<Snapshot> = {}) =>
  toSnapshot({
    createdAt: new Date(NOW + minutes * MINUTE_MS).toISOString(),
    ...fields,
  });
const forged = toSnapshot({ createdAt: "9999-01-01T00:00:00.000Z" });

test("the page never chooses a snapshot of the future by itself", () => {
  const newest = at(-1);
  expect(chooseNewest([forged, newest, at(-2)], NOW)).toBe(newest);
  const other = at(-3, { otherHome: "laptop:/home" });
  expect(chooseNewest([forged, other], NOW)).toBe(other);
  const damaged = at(-4, { problem });
  expect(chooseNewest([forged, damaged], NOW)).toBe(damaged);
  expect(chooseNewest([forged, at(6)], NOW)).toBeUndefined();
});

test("a clock that differs a little makes no future", () => {
  const newest = at(4);
  expect(chooseNewest([newest, at(-60)], NOW)).toBe(newest);
});

test("of the others it is the newest good one of this home", () => {
  const damaged = at(-1, { problem });
  const other = at(-2, { otherHome: "laptop:/home" });
  const own = at(-3);
  expect(chooseNewest([damaged, other, own], NOW)).toBe(own);
  expect(chooseNewest([damaged, other], NOW)).toBe(other);
  expect(chooseNewest([], NOW)).toBeUndefined();
});
