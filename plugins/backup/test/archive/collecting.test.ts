import { mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { collectUnused } from "../../src/archive/collect-unused.ts";
import { deleteSnapshot } from "../../src/archive/delete-snapshot.ts";
import { listSnapshots } from "../../src/archive/list-snapshots.ts";
import { openSnapshot } from "../../src/archive/open-snapshot.ts";
import {
  codeOfRejection,
  createPlace,
  digestsIn,
  putFile,
  sizeOf,
  type Place,
} from "./support.ts";

const { signal } = new AbortController();
const NOW = Date.parse("2026-01-03T00:00:00.000Z");
const STAMP = "2026-01-02T23-00-00-000Z";

const collect = ({ folder }: Place, now = NOW) =>
  collectUnused(folder, { now });

/** Number of pieces on disk. */
const pieces = async ({ backup }: Place) =>
  Object.keys(await digestsIn(join(backup, "files"))).length;

/** A folder of a snapshot that is being written, or was. */
async function begin(place: Place, writer: object | undefined, name = STAMP) {
  const folder = join(place.backup, name);
  await mkdir(folder);
  await writeFile(join(folder, "agents.tar.zst"), "half of it");
  if (writer)
    await writeFile(join(folder, "writer.json"), JSON.stringify(writer));
}
const self = {
  pid: process.pid,
  host: hostname(),
  startedAt: "2026-01-02T23:00:00.000Z",
};
/** More than any system gives. */
const gone = { ...self, pid: 2 ** 30 };

test("content goes with the last snapshot that has it", async () => {
  await using place = await createPlace();
  await putFile(place, "agents/a", "in both");
  await putFile(place, "agents/b", "in the first");
  const one = await place.write();
  await putFile(place, "agents/b", "in the second");
  const two = await place.write();
  expect(await pieces(place)).toBe(3);
  expect(await collect(place)).toMatchObject({ pieces: 0, isHeldBy: [] });
  const before = await sizeOf(place.backup);
  await deleteSnapshot(one.path);
  await deleteSnapshot(one.path);
  expect(await pieces(place)).toBe(3);
  const deleted = before - (await sizeOf(place.backup));
  const collected = await collect(place);
  expect(collected).toMatchObject({ pieces: 1, leftOvers: 0 });
  expect(before - (await sizeOf(place.backup))).toBe(deleted + collected.bytes);
  await (await openSnapshot(two.path)).check(signal);
  await deleteSnapshot(two.path);
  await collect(place);
  expect(await pieces(place)).toBe(0);
});

test("a snapshot that is being written holds all content", async () => {
  await using place = await createPlace();
  await putFile(place, "agents/a", "text");
  const { path } = await place.write();
  await deleteSnapshot(path);
  await begin(place, self);
  expect(await collect(place)).toEqual({
    ...{ pieces: 0, bytes: 0, leftOvers: 0, isHeldBy: [STAMP] },
  });
  // The process that writes it may be running on another machine.
  await writeFile(
    join(place.backup, STAMP, "writer.json"),
    JSON.stringify({ ...gone, host: "another.example" }),
  );
  expect(await collect(place)).toMatchObject({ isHeldBy: [STAMP] });
  // No snapshot takes two days to write.
  const later = NOW + 2 * 24 * 60 * 60 * 1000;
  expect(await collect(place, later)).toMatchObject({
    ...{ pieces: 1, leftOvers: 1, isHeldBy: [] },
  });
  expect(await readdir(place.backup)).toEqual(["files"]);
});

test("left-overs of snapshots that were interrupted go", async () => {
  await using place = await createPlace();
  const { manifest } = await place.write();
  await begin(place, gone);
  await begin(place, undefined, `${STAMP}-2`);
  await begin(place, { pid: "nonsense" }, `${STAMP}-3`);
  await begin(place, gone, ".new-0123456789abcdef");
  await begin(place, self, ".new-1123456789abcdef");
  await mkdir(join(place.backup, ".new-2123456789abcdef"));
  await mkdir(join(place.backup, "something of the user"));
  await symlink(place.home.folder, join(place.backup, `${STAMP}-4`));
  expect(await listSnapshots(place.folder)).toHaveLength(1);
  expect(await collect(place)).toMatchObject({ leftOvers: 5 });
  expect((await readdir(place.backup)).sort()).toEqual([
    ".new-1123456789abcdef",
    manifest.createdAt.replaceAll(/[:.]/g, "-"),
    `${STAMP}-4`,
    "something of the user",
  ]);
});

test("a folder whose writer has not said yet who it is stays for a day", async () => {
  await using place = await createPlace();
  const folder = join(place.backup, ".new-2123456789abcdef");
  await mkdir(folder);
  const now = Date.now();
  expect(await collect(place, now)).toMatchObject({ leftOvers: 0 });
  const later = now + 2 * 24 * 60 * 60 * 1000;
  expect(await collect(place, later)).toMatchObject({ leftOvers: 1 });
  expect(await readdir(place.backup)).not.toContain(basename(folder));
});

test("content is kept while it is not known who refers to it", async () => {
  await using place = await createPlace();
  await putFile(place, "agents/a", "text");
  const one = await place.write();
  const [name] = (await readdir(place.backup)).filter((each) =>
    each.startsWith("2026"),
  );
  // The list of pieces says enough, whatever is wrong with the manifest.
  await writeFile(join(one.path, "manifest.json"), "damaged");
  expect(await collect(place)).toMatchObject({ pieces: 0, isHeldBy: [] });
  await writeFile(join(one.path, "pieces.txt"), "damaged");
  expect(await collect(place)).toMatchObject({ pieces: 0, isHeldBy: [name] });
  await rm(join(one.path, "pieces.txt"));
  expect(await collect(place)).toMatchObject({ pieces: 0, isHeldBy: [name] });
  await deleteSnapshot(one.path);
  expect(await collect(place)).toMatchObject({ pieces: 1, isHeldBy: [] });
});

test("a collection beside a snapshot that is being written harms neither", async () => {
  await using place = await createPlace();
  for (let index = 0; index < 40; index++)
    await putFile(place, `agents/${index}`, `text of ${index}`);
  const one = await place.write();
  await deleteSnapshot(one.path);
  const collections: Promise<unknown>[] = [];
  const two = await place.write({
    onProgress: () => void collections.push(collect(place)),
  });
  expect(collections.length).toBeGreaterThan(10);
  await Promise.all(collections);
  await (await openSnapshot(two.path)).check(signal);
});

test("nothing but a snapshot is deleted", async () => {
  await using place = await createPlace();
  await place.write();
  const before = await digestsIn(place.folder);
  const outside = join(place.folder, STAMP);
  await mkdir(outside);
  const target = join(place.backup, STAMP);
  await symlink(place.home.folder, target);
  for (const path of [
    ...[place.folder, place.backup, outside, target, "/", "."],
    join(place.backup, "files"),
    `${place.backup}/${STAMP}/..`,
  ])
    await expect(deleteSnapshot(path)).rejects.toThrow(TypeError);
  expect(await digestsIn(place.folder)).toEqual(before);
  await rm(place.backup, { recursive: true });
  expect(await codeOfRejection(deleteSnapshot(target))).toBe(
    "BACKUP_FOLDER_UNAVAILABLE",
  );
  expect(await codeOfRejection(collect(place))).toBe(
    "BACKUP_FOLDER_UNAVAILABLE",
  );
});
