import { execFile } from "node:child_process";
import { mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { listSnapshots } from "../../src/archive/list-snapshots.ts";
import { openSnapshot } from "../../src/archive/open-snapshot.ts";
import {
  codeOfRejection,
  createPlace,
  digestsIn,
  extract,
  MIB,
  noise,
  putFile,
  type Place,
} from "./support.ts";

const { signal } = new AbortController();
const run = promisify(execFile);
/** Only the superuser may mount. */
const canMount = process.platform === "linux" && process.getuid?.() === 0;

/** Folders of snapshots, whole or not. */
const foldersIn = async (place: Place) =>
  (await readdir(place.backup)).filter((name) => name !== "files");

test("a snapshot that is aborted at any time leaves nothing that is listed", async () => {
  await using place = await createPlace();
  for (let index = 0; index < 1_000; index++)
    place.home.entries.set(`snippets:snippet:${index}`, '{"v":1,"data":{}}');
  for (let index = 0; index < 10; index++)
    await putFile(place, `agents/transcripts/${index}`, noise(300_000, index));
  let steps = 0;
  await place.write({ onProgress: () => steps++ });
  expect(steps).toBe(1_010);
  const before = await foldersIn(place);
  for (const stopAt of [1, 500, 1_001, 1_005, 1_010]) {
    const controller = new AbortController();
    const reason = new Error("That is enough.");
    let step = 0;
    const writing = place.write({
      signal: controller.signal,
      rewrites: true,
      onProgress() {
        if (++step === stopAt) controller.abort(reason);
      },
    });
    await expect(writing).rejects.toBe(reason);
    expect(await foldersIn(place)).toEqual(before);
    expect(place.home.openImages).toBe(0);
  }
  expect(await listSnapshots(place.folder)).toHaveLength(1);
});

test("a target that goes away half-way is reported, and no part of the snapshot stays", async () => {
  await using place = await createPlace();
  for (let index = 0; index < 10; index++)
    await putFile(place, `agents/transcripts/${index}`, noise(MIB, index));
  let isGone = false;
  const gone = join(place.folder, "unplugged");
  let moving: Promise<void> | undefined;
  const writing = place.write({
    onProgress({ doneBytes }) {
      if (isGone || doneBytes < 5 * MIB) return;
      isGone = true;
      moving = rename(place.backup, gone);
    },
  });
  expect(await codeOfRejection(writing)).toBe("BACKUP_FOLDER_UNAVAILABLE");
  await moving;
  // Nothing was made where the disk had been.
  expect(await readdir(place.folder)).toEqual(["unplugged"]);
  await rename(gone, place.backup);
  expect(await listSnapshots(place.folder)).toEqual([]);
  const { path } = await place.write();
  await extract(place, path);
});

test("a folder that cannot be written is reported", async () => {
  await using place = await createPlace();
  await putFile(place, "agents/transcripts/a", "text");
  await writeFile(join(place.backup, "files"), "in the way");
  expect(await codeOfRejection(place.write())).toBe(
    "BACKUP_FOLDER_UNAVAILABLE",
  );
  expect(await foldersIn(place)).toEqual([]);
  await rm(place.backup, { recursive: true });
  expect(await codeOfRejection(place.write())).toBe(
    "BACKUP_FOLDER_UNAVAILABLE",
  );
  expect(await codeOfRejection(listSnapshots(place.folder))).toBe(
    "BACKUP_FOLDER_UNAVAILABLE",
  );
  await writeFile(place.backup, "in the way");
  expect(await codeOfRejection(place.write())).toBe(
    "BACKUP_FOLDER_UNAVAILABLE",
  );
});

test.skipIf(!canMount)(
  "a full disk and a read-only disk are reported, and earlier snapshots stay whole",
  async () => {
    await using place = await createPlace();
    await run("mount", [
      ...["-t", "tmpfs", "-o", "size=4m", "tmpfs", place.backup],
    ]);
    try {
      await putFile(place, "agents/transcripts/a", noise(MIB, 1));
      const { path } = await place.write();
      const before = await digestsIn(path);
      for (let index = 0; index < 9; index++)
        await putFile(place, `agents/transcripts/${index}`, noise(MIB, index));
      expect(await codeOfRejection(place.write())).toBe("BACKUP_DISK_FULL");
      expect(await foldersIn(place)).toHaveLength(1);
      expect(await digestsIn(path)).toEqual(before);
      // It is the store that does not fit.
      await rm(join(place.home.data, "agents"), { recursive: true });
      for (let index = 0; index < 50; index++)
        place.home.entries.set(
          `snippets:snippet:${index}`,
          noise(150_000, index).toString("base64"),
        );
      expect(await codeOfRejection(place.write())).toBe("BACKUP_DISK_FULL");
      expect(place.home.openImages).toBe(0);
      await run("mount", ["-o", "remount,ro", place.backup]);
      expect(await codeOfRejection(place.write())).toBe(
        "BACKUP_FOLDER_UNAVAILABLE",
      );
      await extract(place, path);
    } finally {
      await run("umount", ["--lazy", place.backup]);
    }
  },
);

test.skipIf(!canMount)(
  "a stage without room is refused before anything is written",
  async () => {
    await using place = await createPlace();
    await putFile(place, "agents/transcripts/a", noise(6 * MIB, 1));
    const { path } = await place.write();
    const stage = await mkdtemp(join(tmpdir(), "gantry-stage-"));
    await run("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", stage]);
    try {
      const reader = await openSnapshot(path);
      const extracting = reader.extract(stage, { signal });
      expect(await codeOfRejection(extracting)).toBe("BACKUP_DISK_FULL");
      expect(await readdir(stage)).toEqual([]);
    } finally {
      await run("umount", ["--lazy", stage]);
      await rm(stage, { recursive: true });
    }
  },
);
