import { createHash } from "node:crypto";
import {
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { expect, test } from "vitest";
import { listSnapshots } from "../../src/archive/list-snapshots.ts";
import { PIECES_FOLDER, piecePath } from "../../src/archive/names.ts";
import {
  createPlace,
  extract,
  MIB,
  noise,
  putFile,
  type Place,
} from "./support.ts";

const FILE = "agents/transcripts/a.jsonl";

/** Path of a piece from the folder of a snapshot. */
function pieceOf(content: Buffer, isEncrypted: boolean): string {
  const sha256 = createHash("sha256").update(content).digest("hex");
  return join("..", PIECES_FOLDER, piecePath(sha256, isEncrypted));
}

/** Makes a snapshot, and changes the file after each part of it that is read, so often. */
async function writeWhile(
  place: Place,
  times: number,
  change: (path: string, time: number) => void,
) {
  const path = join(place.home.data, FILE);
  let time = 0;
  return await place.write({
    onProgress() {
      if (time < times) change(path, ++time);
    },
  });
}

const overwrite = (path: string, time: number) =>
  writeFileSync(path, noise(1_000, 10 + time), { flag: "r+" });

test.each([
  ["once", 1],
  ["twice", 2],
  ["each time it is read", 9],
])("a small file that is written in place %s", async (_, times) => {
  await using place = await createPlace();
  await putFile(place, FILE, noise(1_000, 1));
  await putFile(place, "agents/other", noise(1_000, 2));
  const { manifest, path } = await writeWhile(place, times, overwrite);
  expect(manifest.files).toMatchObject({ count: 2, pieces: 2 });
  expect(manifest.leftOut).toBe(0);
  await extract(place, path);
});

test("a file that is emptied, cut off or removed while it is read", async () => {
  for (const change of [
    (path: string) => truncateSync(path, 0),
    (path: string) => truncateSync(path, 300),
    (path: string) => rmSync(path),
    (path: string) => writeFileSync(path, noise(9_000, 7)),
  ]) {
    await using place = await createPlace();
    await putFile(place, FILE, noise(1_000, 1));
    const { path } = await writeWhile(place, 1, change);
    await extract(place, path);
  }
});

test("a file of several pieces that is written in place", async () => {
  await using place = await createPlace();
  await putFile(place, FILE, noise(5 * MIB, 1));
  const { manifest, path } = await writeWhile(place, 7, (file, time) =>
    writeFileSync(file, noise(MIB, 20 + time), { flag: "r+" }),
  );
  expect(manifest.files).toMatchObject({ count: 1, pieces: 2 });
  await extract(place, path);
});

test("an archive that was damaged since is written again", async () => {
  await using place = await createPlace();
  place.home.entries.set("snippets:snippet:a", '{"v":1}');
  const first = await place.write();
  const name = "snippets.tar.zst";
  const { length } = await readFile(join(first.path, name));
  // It is of the same size, and a link to the same file would be damaged as well.
  writeFileSync(join(first.path, name), Buffer.alloc(length));
  await extract(place, (await place.write()).path);
});

test("a disk that does not keep what is written gets no manifest", async () => {
  const names = ["files.ndjson.zst", "home.files.tar.zst", "pieces.txt"];
  for (const name of [...names, pieceOf(noise(1_000, 1), false)]) {
    await using place = await createPlace();
    await putFile(place, FILE, noise(1_000, 1));
    const damage = damageOnceWritten(place, name);
    await expect(place.write()).rejects.toMatchObject({
      code: "BACKUP_FOLDER_UNAVAILABLE",
      message: expect.stringContaining(
        name.replace(/^.*\/|\.zst$/g, ""),
      ) as string,
    });
    expect(damage.isDone).toBe(true);
    expect(await listSnapshots(place.folder)).toEqual([]);
    // What was found damaged is written again.
    place.home.plugins = () => ({});
    await extract(place, (await place.write()).path);
  }
});

test("content that another snapshot writes at the same time counts as written by that", async () => {
  await using place = await createPlace();
  const content = noise(1_000, 1);
  await putFile(place, FILE, content);
  const recipient = await identityToRecipient(await generateX25519Identity());
  const other = await place.write({ recipient });
  await rm(other.path, { recursive: true });
  const stored = join(other.path, pieceOf(content, true));
  const written = readFileSync(stored);
  place.home.plugins = () => {
    expect(readFileSync(stored)).not.toEqual(written);
    writeFileSync(`${stored}.tmp`, written);
    renameSync(`${stored}.tmp`, stored);
    return {};
  };
  const { path } = await place.write({ recipient });
  expect(readFileSync(stored)).toEqual(written);
  expect(await listSnapshots(place.folder)).toMatchObject([{ path }]);
});

/** Changes a byte of a file of the next snapshot as soon as it is written. */
function damageOnceWritten(place: Place, name: string) {
  const { home } = place;
  const damage = { isDone: false };
  // It is asked for when everything is written, right before the manifest.
  home.plugins = () => {
    const [folder] = readdirSync(place.backup).filter((each) =>
      each.startsWith("2026"),
    );
    const path = join(place.backup, folder!, name);
    const content = readFileSync(path);
    content[content.length - 1]! ^= 1;
    writeFileSync(path, content);
    damage.isDone = true;
    return {};
  };
  return damage;
}
