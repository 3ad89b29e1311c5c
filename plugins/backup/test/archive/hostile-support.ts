import { createHash } from "node:crypto";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { Manifest } from "../../src/archive/manifest.ts";
import { openSnapshot } from "../../src/archive/open-snapshot.ts";
import type { ForgedEntry } from "./forge.ts";
import {
  codeOfRejection,
  createPlace,
  digestsIn,
  putFile,
  type Place,
} from "./support.ts";

const { signal } = new AbortController();
export const INVALID = "BACKUP_SNAPSHOT_INVALID";
export const TOO_LARGE = "BACKUP_SNAPSHOT_TOO_LARGE";
export const CORRUPT = "BACKUP_SNAPSHOT_CORRUPT";

export const line = (key: string, text = "{}") =>
  Buffer.from(`${JSON.stringify({ key, text })}\n`);
export const CONTENT = Buffer.from("what a plugin keeps\n");
export const NAME = "snippets.ndjson";
export const ARCHIVE = "snippets.tar.zst";

/** A small snapshot that is about to be changed. */
export async function createSnapshot() {
  const place = await createPlace();
  place.home.entries.set("snippets:snippet:a", "{}");
  await putFile(place, "agents/transcripts/a.jsonl", CONTENT);
  await writeFile(join(place.home.folder, "config.json"), "{}");
  const { path } = await place.write();
  return {
    place,
    path,
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

/** What a check and an extraction say. Neither may leave anything behind, in the stage or beside it. */
export async function refusalOf(place: Place, path: string): Promise<unknown> {
  const before = await digestsIn(place.home.folder);
  const open = openSnapshot(path);
  const checked = await codeOfRejection(
    open.then((reader) => reader.check(signal)),
  );
  const stage = await place.home.stage();
  const extracted = await codeOfRejection(
    open.then((reader) => reader.extract(stage, { signal })),
  );
  expect(extracted).toBe(checked);
  if (extracted === undefined) await rm(stage, { recursive: true });
  else expect(await readdir(stage)).toEqual([]);
  expect(await digestsIn(place.home.folder)).toEqual(before);
  return checked;
}

export const file = (path: string): ForgedEntry => ({
  header: { path, type: "File" },
  content: line("snippets:snippet:a"),
});
export const listed = (path: string, members: object = {}) => {
  const sha256 = createHash("sha256").update(CONTENT).digest("hex");
  const { length: size } = CONTENT;
  return {
    ...{ plugin: "agents", path, mode: 0o600, size, sha256 },
    pieces: [sha256],
    ...members,
  };
};
export const count = (files: number) => (of: Manifest["files"]) => {
  of.count = files;
  of.bytes = files * CONTENT.length;
  of.byPlugin = [{ plugin: "agents", files, bytes: of.bytes }];
};
