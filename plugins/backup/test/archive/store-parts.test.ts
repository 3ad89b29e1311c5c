import { lstat, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { deleteSnapshot } from "../../src/archive/delete-snapshot.ts";
import { measureFolder } from "../../src/snapshots/measure-folder.ts";
import { createKey } from "../../src/archive/backup-key.ts";
import { openSnapshot } from "../../src/archive/open-snapshot.ts";
import {
  createPlace,
  extract,
  MIB,
  noise,
  sizeOf,
  type Place,
  type Written,
} from "./support.ts";

const { signal } = new AbortController();
const COUNT = 6_000;
/** 6 MB in all, which do not compress. */
const textOf = (index: number) => noise(750, index + 1).toString("base64");
const keyOf = (index: number) => `snippets:snippet:${index * 7919 + 100_000}`;

function fillStore({ home }: Place): void {
  for (let index = 0; index < COUNT; index++)
    home.entries.set(keyOf(index), textOf(index));
}

const archivesOf = ({ manifest }: Written) =>
  manifest.archives.filter(({ namespace }) => namespace === "snippets");

/** How many archives of the second snapshot are the same files as archives of the first. */
async function countLinked(first: Written, second: Written): Promise<number> {
  const inodesOf = async (written: Written) => {
    const found: number[] = [];
    for (const { name } of archivesOf(written))
      // One that a test has removed.
      await lstat(join(written.path, name)).then(
        ({ ino }) => found.push(ino),
        () => undefined,
      );
    return found;
  };
  const known = new Set(await inodesOf(first));
  return (await inodesOf(second)).filter((inode) => known.has(inode)).length;
}

/** What a reader has of the store, in its order. */
async function readStore(path: string, identity?: string) {
  const reader = await openSnapshot(path, { identity });
  await reader.check(signal);
  const entries: [string, string][] = [];
  for await (const batch of reader.entries("snippets"))
    for (const { key, text } of batch) entries.push([key, text]);
  return entries;
}

const sorted = ({ home }: Place) =>
  [...home.entries].sort(([one], [other]) => (one < other ? -1 : 1));

test(
  "where a large store changes, only the parts around it are written again",
  { tags: "thorough" },
  async () => {
    await using place = await createPlace();
    fillStore(place);
    const first = await place.write();
    expect(archivesOf(first).length).toBeGreaterThan(5);
    const before = await measureFolder(place.backup, signal);
    place.home.entries.set(keyOf(COUNT / 2), "changed");
    // Some that come before all others, so that archives get other numbers.
    for (let index = 0; index < 2_000; index++)
      place.home.entries.set(`snippets:a:${index + 10_000}`, textOf(index));
    place.home.entries.delete(keyOf(COUNT - 1));
    const second = await place.write();
    expect(archivesOf(second).length).toBeGreaterThan(archivesOf(first).length);
    // The first part, that of the change, the last one, and where one of them ended earlier.
    expect(await countLinked(first, second)).toBeGreaterThanOrEqual(
      archivesOf(first).length - 4,
    );
    const grown = (await measureFolder(place.backup, signal)) - before;
    expect(Math.abs(grown - second.manifest.ownBytes)).toBeLessThan(10_000);
    expect(await readStore(second.path)).toEqual(sorted(place));
    // Each snapshot is whole without the other.
    await deleteSnapshot(first.path);
    expect(await readStore(second.path)).toEqual(sorted(place));
    await extract(place, second.path);
  },
);

test(
  "nothing changed costs next to nothing, encrypted or not",
  { tags: "thorough" },
  async () => {
    await using place = await createPlace();
    fillStore(place);
    const { identity, recipient } = await createKey(
      place.folder,
      "some words",
      {
        workFactor: 2,
      },
    );
    for (const key of [undefined, recipient]) {
      const first = await place.write({ recipient: key });
      expect(first.manifest.ownBytes).toBeGreaterThan(4 * MIB);
      const second = await place.write({ recipient: key });
      expect(second.manifest.ownBytes).toBeLessThan(20_000);
      expect(await countLinked(first, second)).toBe(archivesOf(second).length);
      expect(await readStore(second.path, key && identity)).toEqual(
        sorted(place),
      );
    }
  },
);

test("an archive that is gone or was cut off is written again, and all are when they are not to be relied on", async () => {
  await using place = await createPlace();
  fillStore(place);
  const first = await place.write();
  const [gone, cut] = archivesOf(first);
  await rm(join(first.path, gone!.name));
  await truncate(join(first.path, cut!.name), 1_000);
  const second = await place.write();
  const { length } = archivesOf(first);
  expect(await countLinked(first, second)).toBe(length - 2);
  expect(await readStore(second.path)).toEqual(sorted(place));
  const third = await place.write({ rewrites: true });
  expect(await countLinked(second, third)).toBe(0);
  expect(third.manifest.ownBytes).toBeGreaterThan(4 * MIB);
});

test("a store of any keys and sizes comes back, twice", async () => {
  const entry = fc.record({
    key: fc.string({ minLength: 1, maxLength: 20 }),
    kilobytes: fc.oneof(
      { weight: 9, arbitrary: fc.nat(40) },
      { weight: 1, arbitrary: fc.nat(6_000) },
    ),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(entry, { maxLength: 60 }),
      fc.array(entry, { maxLength: 5 }),
      async (entries, more) => {
        await using place = await createPlace();
        for (const { key, kilobytes } of entries)
          place.home.entries.set(
            `snippets:${key}`,
            "x".repeat(kilobytes << 10),
          );
        const first = await place.write();
        const stored = sorted(place);
        for (const { key } of more)
          place.home.entries.set(`snippets:${key}`, "more");
        const second = await place.write();
        expect(await readStore(second.path)).toEqual(sorted(place));
        expect(await readStore(first.path)).toEqual(stored);
      },
    ),
    { numRuns: runs(20) },
  );
});

test("a folder with links takes the room of its files once", async () => {
  await using place = await createPlace();
  fillStore(place);
  await place.write();
  await place.write();
  const measured = await measureFolder(place.backup, signal);
  expect(measured).toBeLessThan((await sizeOf(place.backup)) * 0.6);
});
