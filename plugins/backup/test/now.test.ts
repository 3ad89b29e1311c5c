import { expect, test } from "vitest";
import { putRecord, startBackup } from "./support/backup-bench.ts";

test("a snapshot is made, listed and told of", async () => {
  await using bench = await startBackup();
  putRecord(bench.home, "snippets:snippet", "snp_a", { title: "One" });
  const { snapshot, verified } = await bench.backUp();
  expect(verified).toBeNull();
  expect(snapshot).toMatchObject({
    reason: "manual",
    records: 1,
    problem: null,
  });
  expect(await bench.list()).toEqual([snapshot]);
  expect(bench.told()).toEqual([
    "backup.settings-changed",
    "backup.job-progressed",
    "backup.snapshot-made",
  ]);
});
