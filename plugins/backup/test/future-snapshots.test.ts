import { cp } from "node:fs/promises";
import { join } from "node:path";
import { createIdentifier } from "@gantry/plugin";
import { expect, test } from "vitest";
import type { Snapshot } from "../src/contract.ts";
import { forgeManifest } from "./archive/forge.ts";
import { startBackup, type BackupBench } from "./support/backup-bench.ts";

const DAY_MS = 24 * 60 * 60_000;

/** Copies a snapshot as one of the year 9999, and gives the id of that. */
async function forgeFuture({ path }: Snapshot): Promise<string> {
  const forged = join(path, "../9999-01-01T00-00-00-000Z");
  await cp(path, forged, { recursive: true });
  const id = createIdentifier("snap");
  await forgeManifest(forged, (manifest) => ({
    ...{ ...manifest, id },
    createdAt: "9999-01-01T00:00:00.000Z",
  }));
  return id;
}

/** What the doctor finds with the schedule. */
async function findOverdue({ kernel }: BackupBench) {
  const { body } = await kernel.api.get<{
    findings: { code: string; what: string; fix: string }[];
  }>("/api/doctor");
  return body.findings.filter(({ code }) => code === "BACKUP_OVERDUE");
}

test("with snapshots of the future alone, the doctor reports that none is made", async () => {
  await using bench = await startBackup();
  const { snapshot } = await bench.backUp();
  await forgeFuture(snapshot);
  expect(await findOverdue(bench)).toEqual([]);
  await bench.remove(snapshot.id, { confirm: true });
  // A session that is not used for so long would end.
  for (const days of [0, 21, 21, 21]) {
    bench.kernel.clock.jumpWall(bench.kernel.clock.now() + days * DAY_MS);
    expect(await findOverdue(bench)).toMatchObject([
      {
        what: "The only snapshot of this home is dated in the future, though one is to be made every 43200 minutes.",
        fix: expect.stringMatching(/^Check the clock/) as string,
      },
    ]);
  }
  await bench.backUp();
  expect(await findOverdue(bench)).toEqual([]);
});

test("snapshots of another home are none of this one, for the doctor too", async () => {
  await using one = await startBackup();
  await one.backUp();
  await forgeFuture((await one.backUp()).snapshot);
  await using other = await startBackup({ hasFolder: false });
  await other.change({ folder: one.folder, everyMinutes: 43_200 });
  const { snapshot } = await other.backUp();
  await other.remove(snapshot.id, { confirm: true });
  expect((await other.state()).snapshots).toBe(3);
  expect(await findOverdue(other)).toEqual([]);
});

test("a snapshot of the future takes no place of those that are kept", async () => {
  await using bench = await startBackup();
  await bench.change({ keepDays: 2, keepsWeekly: false });
  const { clock } = bench.kernel;
  const ids: string[] = [];
  for (let day = 0; day < 4; day++) {
    clock.jumpWall(clock.now() + 2 * DAY_MS);
    const { snapshot } = await bench.backUp();
    ids.unshift(snapshot.id);
    if (day === 0) ids.unshift(await forgeFuture(snapshot));
  }
  const [newest, second, , forged] = ids;
  expect((await bench.list()).map(({ id }) => id)).toEqual([
    forged,
    newest,
    second,
  ]);
});
