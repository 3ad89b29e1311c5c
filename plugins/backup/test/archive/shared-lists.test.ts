import { createHash } from "node:crypto";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { expect, test } from "vitest";
import { createDecryption, createEncryption } from "../../src/archive/age.ts";
import { openSnapshot } from "../../src/archive/open-snapshot.ts";
import { forgeManifest } from "./forge.ts";
import { createPlace, type Written } from "./support.ts";

const LIST = "files.ndjson.zst.age";

async function createKey() {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** A home with nothing but an empty folder: the list is all that its snapshots have. */
async function createSmallPlace() {
  const place = await createPlace();
  await mkdir(join(place.home.data, "agents/empty"), { recursive: true });
  return place;
}

const inodeOf = async ({ path }: Written) => (await stat(join(path, LIST))).ino;

async function check({ path }: Written, identity: string): Promise<void> {
  const reader = await openSnapshot(path, { identity });
  await reader.check(new AbortController().signal);
}

test("a list for another key is not shared, although its manifest names the key", async () => {
  await using place = await createSmallPlace();
  const key = await createKey();
  const first = await place.write(await createKey());
  await forgeManifest(first.path, (manifest) => {
    manifest.recipient = key.recipient;
  });
  const second = await place.write(key);
  expect(await inodeOf(second)).not.toBe(await inodeOf(first));
  await check(second, key.identity);
  expect(await inodeOf(await place.write(key))).toBe(await inodeOf(second));
});

test("a list of the same length that holds something else is not shared", async () => {
  await using place = await createSmallPlace();
  const key = await createKey();
  const first = await place.write(key);
  const stored = await readFile(join(first.path, LIST));
  const packed = await createDecryption(key.identity).decrypt(stored);
  const lines = zstdDecompressSync(packed).toString();
  const parts = createEncryption(key.recipient).encryptStream([
    zstdCompressSync(lines.replace("empty", "EMPTY")),
  ]);
  const content = await buffer(parts);
  await writeFile(join(first.path, LIST), content);
  await forgeManifest(first.path, ({ files }) => {
    files.list.bytes = content.length;
    files.list.sha256 = createHash("sha256").update(content).digest("hex");
  });
  const second = await place.write(key);
  expect(await inodeOf(second)).not.toBe(await inodeOf(first));
  await check(second, key.identity);
  expect((await place.write(key)).manifest.files.list).toEqual(
    second.manifest.files.list,
  );
});
