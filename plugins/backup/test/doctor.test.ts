import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startBackup, type BackupBench } from "./support/backup-bench.ts";

const DAY_MS = 24 * 60 * 60_000;

/** What the doctor finds with the backup. */
async function findings({ kernel }: BackupBench): Promise<string[]> {
  const { body } = await kernel.api.get<{ findings: { code: string }[] }>(
    "/api/doctor",
  );
  return body.findings
    .map(({ code }) => code)
    .filter((code) => code.startsWith("BACKUP_") || code.startsWith("PLUGIN_"));
}

test("the doctor says that nothing is backed up", async () => {
  await using bench = await startBackup({ hasFolder: false });
  expect(await findings(bench)).toEqual(["BACKUP_NOT_SET_UP"]);
});

test("the doctor asks for a verification, at first and after two months", async () => {
  await using bench = await startBackup();
  expect(await findings(bench)).toEqual([]);
  await bench.backUp();
  expect(await findings(bench)).toEqual(["BACKUP_NOT_VERIFIED"]);
  await bench.backUp({ verify: true });
  expect(await findings(bench)).toEqual([]);
  const { clock } = bench.kernel;
  // A session that is not used for so long would end.
  for (let part = 0; part < 3; part++) {
    expect(await findings(bench)).toEqual([]);
    clock.jumpWall(clock.now() + 21 * DAY_MS);
  }
  expect(await findings(bench)).toEqual(["BACKUP_VERIFICATION_OLD"]);
});

test("the doctor reports a schedule that is not kept, and failures", async () => {
  await using bench = await startBackup();
  await bench.change({ everyMinutes: 60 });
  await bench.backUp({ verify: true });
  const { clock } = bench.kernel;
  clock.jumpWall(clock.now() + 2 * 60 * 60_000);
  expect(await findings(bench)).toEqual([]);
  clock.jumpWall(clock.now() + 2 * 60 * 60_000);
  expect(await findings(bench)).toEqual(["BACKUP_OVERDUE"]);
  await rm(join(bench.folder, "gantry-backup"), { recursive: true });
  expect(await findings(bench)).toEqual(["BACKUP_FAILED"]);
});
