import { readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SnapshotMade } from "../src/contract.ts";
import { startBackup, type BackupBench } from "./support/backup-bench.ts";

const FILE = "agents/transcripts/a.jsonl";

/** Puts damaged files of the same sizes in the place of all content in a backup folder, as if another snapshot had written it. */
function damageContent({ folder }: BackupBench): void {
  const files = join(folder, "gantry-backup", "files");
  const options = { recursive: true, withFileTypes: true } as const;
  for (const entry of readdirSync(files, options)) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    writeFileSync(`${path}.tmp`, Buffer.alloc(readFileSync(path).length));
    renameSync(`${path}.tmp`, path);
  }
}

/** A snapshot without files, and content of a later one that is damaged. */
async function startDamaged(): Promise<{ bench: BackupBench; id: string }> {
  const bench = await startBackup();
  const { id } = (await bench.backUp()).snapshot;
  await bench.fill(FILE, "what is there");
  await bench.kernel.clock.advance(1000);
  await bench.backUp();
  await bench.kernel.clock.advance(1000);
  damageContent(bench);
  return { bench, id };
}

test("a safety snapshot that shares damaged content writes that content again", async () => {
  const { bench, id } = await startDamaged();
  await using _ = bench;
  const { status, body } = await bench.restore({ id });
  expect(status).toBe(200);
  const undo = await bench.restore({ id: body.safetySnapshotId });
  expect(undo.status).toBe(200);
  const path = join(bench.home.data, FILE);
  expect(await readFile(path, "utf8")).toBe("what is there");
});

test("nothing is replaced while no safety snapshot can be proven", async () => {
  const { bench, id } = await startDamaged();
  await using _ = bench;
  // Whatever is written is damaged again, once it was read back for the manifest.
  bench.kernel.kernel.foundation.core.subscribe((events) => {
    if (events.some(({ type }) => type === SnapshotMade.type))
      damageContent(bench);
  });
  const answer = await bench.restore({ id });
  expect(answer).toMatchObject({
    status: 500,
    body: { code: "BACKUP_RESTORE_FAILED" },
  });
  expect(bench.home.replacements).toEqual([]);
  // The snapshot that was to be restored is as good as before.
  const listed = await bench.list();
  expect(listed.find((each) => each.id === id)?.problem).toBeNull();
  const safety = listed.filter(({ reason }) => reason === "safety");
  expect(safety.map(({ problem }) => problem?.code)).toEqual([
    ...["BACKUP_SNAPSHOT_CORRUPT", "BACKUP_SNAPSHOT_CORRUPT"],
  ]);
});
