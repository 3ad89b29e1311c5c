import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diagnoseBackup } from "../src/diagnose.ts";
import { startBackup } from "./support/backup-bench.ts";
import type { BackupBench } from "./support/backup-bench.ts";
import { startCommands } from "./support/command-bench.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Two daemons with homes of their own, and one folder for the snapshots of both. */
async function startTwo() {
  const one = await startBackup();
  const other = await startBackup({ hasFolder: false });
  await other.change({ folder: one.folder, everyMinutes: 43_200 });
  return {
    ...{ one, other },
    async [Symbol.asyncDispose]() {
      await one[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
    },
  };
}

const nameOf = ({ home }: BackupBench) =>
  expect.stringMatching(new RegExp(`^[^:]+:${home.folder}$`)) as string;

test("two homes in one folder learn of each other, and neither deletes what the other made", async () => {
  await using both = await startTwo();
  const { one, other } = both;
  const first = (await one.backUp()).snapshot;
  expect((await one.state()).otherHomes).toEqual([]);
  await other.kernel.clock.advance(1000);
  const second = (await other.backUp()).snapshot;
  const { otherHomes, lastSnapshot, snapshots } = await one.state();
  expect(otherHomes).toEqual([
    { name: nameOf(other), snapshots: 1, lastSnapshotAt: second.createdAt },
  ]);
  expect(lastSnapshot?.id).toBe(first.id);
  expect(snapshots).toBe(2);
  expect(await one.list()).toMatchObject([
    { id: second.id, otherHome: nameOf(other) },
    { id: first.id, otherHome: null },
  ]);
  const { body } = await one.kernel.api.get<{
    findings: { code: string; what: string }[];
  }>("/api/doctor");
  expect(body.findings).toContainEqual(
    expect.objectContaining({
      code: "BACKUP_FOLDER_SHARED",
      what: expect.stringContaining("(1 snapshot)") as string,
    }),
  );
  // The newest good one of this home needs a confirmation, although another home has a newer one.
  expect((await one.remove(first.id)).body.code).toBe("BACKUP_LAST_GOOD");

  // Retention counts the own ones alone.
  await one.change({ keepDays: 1, keepsWeekly: false });
  for (let day = 0; day < 3; day++) {
    one.kernel.clock.jumpWall(one.kernel.clock.now() + 2 * DAY_MS);
    await one.backUp();
  }
  expect((await one.list()).map(({ otherHome }) => otherHome)).toEqual([
    null,
    nameOf(other),
  ]);
  expect(await readdir(second.path)).toContain("manifest.json");
  // Another folder is the way out.
  await other.change({ folder: `${one.folder}-2` });
  expect((await other.state()).otherHomes).toEqual([]);
});

test("a home that was restored from the snapshot of another one counts its past as its own, and not what comes later", async () => {
  await using both = await startTwo();
  const { one, other } = both;
  const { id } = (await one.backUp()).snapshot;
  await other.kernel.clock.advance(1000);
  await other.restore({ id });
  await other.restart();
  // The restarted daemon records the restore.
  await expect
    .poll(() => other.list())
    .toMatchObject([
      { reason: "safety", otherHome: null },
      { id, otherHome: null },
    ]);
  expect((await other.state()).otherHomes).toEqual([]);
  one.kernel.clock.jumpWall(one.kernel.clock.now() + DAY_MS);
  await one.backUp();
  expect((await other.state()).otherHomes).toMatchObject([{ snapshots: 1 }]);
});

test("the command line names the other home, and restores the newest snapshot of its own", async () => {
  await using bench = await startCommands();
  await using other = await startBackup({ hasFolder: false });
  await bench.save({});
  const own = await bench.run("now");
  expect(own.join("\n")).not.toContain("Warning");
  await other.change({ folder: bench.folder, everyMinutes: 43_200 });
  const { path } = (await other.backUp()).snapshot;
  for (const command of ["now", "list"])
    expect((await bench.run(command)).at(-1)).toMatch(
      /^Warning: The folder also holds snapshots of another home: .+ \(1 snapshot\)\. .+ Choose a folder of its own for each home\.$/,
    );
  // What is no mark says nothing.
  await writeFile(join(path, "home.json"), "{}");
  expect((await bench.run("list")).join("\n")).not.toContain("Warning");
});

test("a new home restores none of several homes that are in the folder until one is named", async () => {
  await using both = await startTwo();
  const { one, other } = both;
  const first = (await one.backUp()).snapshot;
  await other.kernel.clock.advance(1000);
  const second = (await other.backUp()).snapshot;
  await using bench = await startCommands();
  const folder = { folder: one.folder };
  await expect(bench.run("restore", folder)).rejects.toThrow(
    new RegExp(
      `several homes: .+ \\(newest: ${second.id}\\), .+ \\(newest: ${first.id}\\)\\. Name one by its id\\.$`,
    ),
  );
  expect((await bench.run("restore", { ...folder, id: first.id })).at(-1)).toBe(
    "It is restored.",
  );
});

test("nothing is found without other homes", () => {
  const state = {
    ...{ snapshots: 0, otherHomes: [], lastSnapshot: null, problem: null },
    ...{ lastVerifiedAt: null, nextSnapshotAt: null, fromFuture: 0 },
    settings: {
      ...{ folder: "/b", everyMinutes: 60, keepDays: 30, keepsWeekly: true },
      ...{ includeTranscripts: true, includeSecrets: false },
    },
  };
  expect(diagnoseBackup(state, { now: () => 0 })).toEqual([]);
});
