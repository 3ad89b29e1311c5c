import { truncate } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findFiles } from "../../src/archive/find-files.ts";
import { MAX_FILES } from "../../src/archive/limits.ts";
import { foreseeTooMuch } from "../../src/archive/too-much.ts";
import { createPlace, noise, putFile } from "./support.ts";

const GIB = 1024 ** 3;
const found = { files: [], links: [], folders: [], leftOut: [] };

/** A file of the plugin `agents`. */
function toFile(path: string, size: number, allocatedBytes: number) {
  const place = { plugin: "agents", path, mode: 0o600 };
  return { ...place, size, allocatedBytes, stamp: "", changedMs: 0 };
}

test("files, links and folders beyond the largest number are foreseen", () => {
  const link = { plugin: "agents", path: "link", link: "0" };
  const folder = { plugin: "agents", path: "e", folder: 0o700, isEmpty: true };
  const files = new Array<ReturnType<typeof toFile>>(MAX_FILES - 1).fill(
    toFile("0", 1, 0),
  );
  const foresee = (more: typeof files) =>
    foreseeTooMuch({
      ...found,
      files: files.concat(more),
      links: [link],
      folders: [folder],
    });
  expect(foresee([])).toEqual(["agents/e"]);
  const more = [toFile("last", 1, 0), toFile("beyond", 1, 0)];
  expect(foresee(more)).toEqual(["agents/beyond", "agents/link", "agents/e"]);
});

test("files with holes are foreseen where a snapshot takes them for too large, and not where it may have room", () => {
  const holes = toFile("holes", 20 * GIB, 4096);
  expect(foreseeTooMuch({ ...found, files: [holes] })).toEqual([
    "agents/holes",
  ]);
  const whole = toFile("whole", GIB, GIB);
  expect(foreseeTooMuch({ ...found, files: [whole, holes] })).toEqual([]);
  const small = toFile("small", 15 * GIB, 0);
  expect(foreseeTooMuch({ ...found, files: [small] })).toEqual([]);
  // It is the first one, and has all the room that it says.
  const first = toFile("first", 20 * GIB, 20 * GIB);
  expect(foreseeTooMuch({ ...found, files: [first, holes] })).toEqual([]);
});

test("files without blocks have holes only where other files have blocks", async () => {
  await using place = await createPlace();
  const { data } = place.home;
  const foresee = async () => {
    const { signal } = new AbortController();
    return foreseeTooMuch(
      await findFiles({ data, isSkipped: () => false, signal }),
    );
  };
  await putFile(place, "agents/a", "");
  await truncate(join(data, "agents/a"), 17 * GIB);
  expect(await foresee()).toEqual([]);
  await putFile(place, "agents/b", noise(100_000, 1));
  expect(await foresee()).toEqual(["agents/a"]);
});
