import {
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { isThorough, thoroughUnless } from "@gantry/build/testing";
import { expect, test } from "vitest";
import {
  createKey,
  openKey,
  type BackupKey,
} from "../../src/archive/backup-key.ts";
import { listSnapshots } from "../../src/archive/list-snapshots.ts";
import { PIECES_FOLDER } from "../../src/archive/names.ts";
import { openSnapshot } from "../../src/archive/open-snapshot.ts";
import { ProvenFiles } from "../../src/archive/proven-files.ts";
import { forgeManifest } from "./forge.ts";
import {
  codeOfRejection,
  createPlace,
  digestsIn,
  putFile,
  type Place,
} from "./support.ts";

const { signal } = new AbortController();
const PASSPHRASE = "four words of mine";
const CORRUPT = "BACKUP_SNAPSHOT_CORRUPT";
const EACH_CORRUPT = [CORRUPT, CORRUPT, CORRUPT];
const STEP_BYTES = isThorough ? 1_000 : 4_000;

/** Text that is not the same anywhere, and compresses to about a quarter. */
function proseOf(length: number): string {
  let text = "";
  for (let word = 1; text.length < length; word++)
    text += `${Math.imul(word, 2654435761).toString(36)} words `;
  return text.slice(0, length);
}

async function fill(place: Place): Promise<void> {
  for (let index = 0; index < 200; index++)
    place.home.entries.set(
      `snippets:snippet:${index}`,
      JSON.stringify({ v: 1, data: { title: proseOf(100 + index) } }),
    );
  await putFile(place, "agents/transcripts/a.jsonl", proseOf(30_000));
  await putFile(place, "agents/transcripts/empty.jsonl", "");
  await writeFile(join(place.home.folder, "config.json"), '{"port": 7420}');
}

/** Looks at all of a snapshot in the three ways that there are: reading alone, and while all or a part of it is extracted. */
async function readAll(
  place: Place,
  path: string,
  key: BackupKey | undefined,
): Promise<unknown[]> {
  const open = () => openSnapshot(path, { identity: key?.identity });
  const codes = [
    await codeOfRejection(open().then((reader) => reader.check(signal))),
  ];
  for (const parts of [undefined, ["snippets"]]) {
    const stage = await place.home.stage();
    const code = await codeOfRejection(
      open().then((reader) => reader.extract(stage, { parts, signal })),
    );
    codes.push(code);
    if (code !== undefined) expect(await readdir(stage)).toEqual([]);
    await rm(stage, { recursive: true });
  }
  return codes;
}

async function flip(file: string, at: number, bit: number): Promise<void> {
  await using handle = await open(file, "r+");
  const byte = Buffer.alloc(1);
  await handle.read(byte, 0, 1, at);
  byte[0] = (byte[0] as number) ^ (1 << bit);
  await handle.write(byte, 0, 1, at);
}

for (const isEncrypted of [false, true])
  test(
    `no bit of ${isEncrypted ? "an encrypted" : "a plain"} snapshot can change unnoticed`,
    { tags: thoroughUnless(isEncrypted) },
    async () => {
      await using place = await createPlace();
      await fill(place);
      const key = isEncrypted
        ? await createKey(place.folder, PASSPHRASE, { workFactor: 2 })
        : undefined;
      const { path } = await place.write({ recipient: key?.recipient });
      expect(await readAll(place, path, key)).toEqual(Array(3).fill(undefined));
      const before = await digestsIn(place.home.folder);
      const files = Object.keys(await digestsIn(place.backup)).filter(
        (name) => !name.startsWith("key."),
      );
      expect(files.length).toBe(7);
      for (const name of files) {
        const file = join(place.backup, name);
        const content = await readFile(file);
        const places = [content.length - 1];
        for (let at = 0; at < content.length; at += STEP_BYTES) places.push(at);
        for (const at of places) {
          await flip(file, at, at % 8);
          const codes = await readAll(place, path, key);
          expect({ name, at, codes }).toEqual({
            ...{ name, at },
            codes: EACH_CORRUPT,
          });
          await flip(file, at, at % 8);
        }
        for (const length of [0, 1, content.length >> 1, content.length - 1]) {
          await truncate(file, length);
          const codes = await readAll(place, path, key);
          expect({ name, length, codes }).toEqual({
            ...{ name, length },
            codes: EACH_CORRUPT,
          });
          await writeFile(file, content);
        }
        await rename(file, `${file}.away`);
        const codes = await readAll(place, path, key);
        expect({ name, codes }).toEqual({ name, codes: EACH_CORRUPT });
        await rename(`${file}.away`, file);
      }
      expect(await readAll(place, path, key)).toEqual(Array(3).fill(undefined));
      expect(await digestsIn(place.home.folder)).toEqual(before);
    },
  );

test("what was just extracted is read again if it has changed since, whatever its time says", async () => {
  await using place = await createPlace();
  await fill(place);
  const reader = await openSnapshot((await place.write()).path);
  const proven = new ProvenFiles();
  const stage = await place.home.stage();
  await reader.extract(stage, { signal, proven });
  await reader.check(signal, proven);
  const [piece] = Object.keys(await digestsIn(place.backup)).filter((name) =>
    name.startsWith(PIECES_FOLDER),
  );
  const file = join(place.backup, piece!);
  const { atime, mtime } = await stat(file);
  await flip(file, 100, 3);
  await utimes(file, atime, mtime);
  expect(await codeOfRejection(reader.check(signal, proven))).toBe(CORRUPT);
  await flip(file, 100, 3);
  await reader.check(signal, proven);
});

test("a damaged key is not taken for a wrong passphrase", async () => {
  await using place = await createPlace();
  await createKey(place.folder, PASSPHRASE, { workFactor: 2 });
  const file = join(place.backup, "key.age");
  const { length } = await readFile(file);
  for (let at = 0; at < length; at += 7) {
    await flip(file, at, at % 8);
    const code = await codeOfRejection(openKey(place.folder, PASSPHRASE));
    expect({ at, code }).toEqual({ at, code: CORRUPT });
    await flip(file, at, at % 8);
  }
  const wrong = await codeOfRejection(openKey(place.folder, "other words"));
  expect(wrong).toBe("BACKUP_PASSPHRASE_WRONG");
  // Without the digest of it a key opens all the same.
  await rm(join(place.backup, "key.sha256"));
  const key = await openKey(place.folder, PASSPHRASE);
  expect(key?.identity).toMatch(/^AGE-SECRET-KEY-1/);
});

test("a list says what is wrong with a manifest, and has the others", async () => {
  await using place = await createPlace();
  const [one, two, three, four] = [
    await place.write(),
    await place.write(),
    await place.write(),
    await place.write(),
  ];
  await flip(join(one.path, "manifest.json"), 100, 3);
  await forgeManifest(two.path, (manifest) => ({ ...manifest, format: 3 }));
  await rm(join(three.path, "manifest.json"));
  const listed = await listSnapshots(place.folder);
  expect(
    listed.map(({ manifest, problem }) => manifest?.id ?? problem?.code),
  ).toEqual([four.manifest.id, "BACKUP_SNAPSHOT_TOO_NEW", CORRUPT]);
});

test("a later format is told from a damaged one, wherever it has its digest", async () => {
  await using place = await createPlace();
  const { path } = await place.write();
  const code = () => codeOfRejection(openSnapshot(path));
  await forgeManifest(path, () => ({ format: 7, members: "other ones" }));
  expect(await code()).toBe("BACKUP_SNAPSHOT_TOO_NEW");
  await rm(join(path, "manifest.sha256"));
  expect(await code()).toBe("BACKUP_SNAPSHOT_TOO_NEW");
  await writeFile(join(path, "manifest.json"), '{"format": 1}');
  expect(await code()).toBe(CORRUPT);
  await rm(join(path, "manifest.json"));
  expect(await code()).toBe(CORRUPT);
});

test("a disk that was taken away is no damage", async () => {
  await using place = await createPlace();
  await fill(place);
  const { path } = await place.write();
  const reader = await openSnapshot(path);
  await rename(place.backup, `${place.backup}.away`);
  const stage = await place.home.stage();
  for (const work of [
    () => openSnapshot(path),
    () => reader.check(signal),
    () => reader.extract(stage, { signal }),
  ])
    expect(await codeOfRejection(work())).toBe("BACKUP_FOLDER_UNAVAILABLE");
  await rename(`${place.backup}.away`, place.backup);
  await reader.check(signal);
});
