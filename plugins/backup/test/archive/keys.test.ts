import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  armor,
  Decrypter,
  Encrypter,
  generateX25519Identity,
  identityToRecipient,
} from "age-encryption";
import fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { createDecryption, createEncryption } from "../../src/archive/age.ts";
import {
  changePassphrase,
  createKey,
  hasKey,
  openKey,
} from "../../src/archive/backup-key.ts";
import { openSnapshot } from "../../src/archive/open-snapshot.ts";
import { codeOfRejection, createPlace, putFile } from "./support.ts";

const FAST = { workFactor: 2 };
const CHUNK_BYTES = 64 * 1024;

const identity = await generateX25519Identity();
const recipient = await identityToRecipient(identity);

/** Around the ends of chunks, where mistakes are. */
const sizes = fc.oneof(
  fc.nat({ max: 300 }),
  fc
    .tuple(fc.nat({ max: 4 }), fc.integer({ min: -20, max: 20 }))
    .map(([chunks, more]) => Math.max(0, chunks * CHUNK_BYTES + more)),
);
const contents = fc
  .tuple(sizes, fc.nat({ max: 255 }))
  .map(([size, seed]) => Buffer.alloc(size, Buffer.from([seed, 1, 2, 3, 5])));

/** A content in parts of uneven sizes. */
async function* inParts(content: Buffer, size: number) {
  for (let at = 0; at < content.length; at += size) {
    await Promise.resolve();
    yield content.subarray(at, at + size);
  }
}

async function collect(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts);
}

test("what is encrypted here is opened by the library, and the other way round", async () => {
  const encryption = createEncryption(recipient);
  const decryption = createDecryption(identity);
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  const partSizes = fc.integer({ min: 1_000, max: 200_000 });
  await fc.assert(
    fc.asyncProperty(contents, partSizes, async (content, partSize) => {
      const whole = await collect(encryption.encryptStream([content]));
      const streamed = await collect(
        encryption.encryptStream(inParts(content, partSize)),
      );
      for (const made of [whole, streamed]) {
        const opened = await decrypter.decrypt(Uint8Array.from(made));
        expect(content.equals(opened)).toBe(true);
      }
      const theirs = Buffer.from(
        await encrypter.encrypt(Uint8Array.from(content)),
      );
      expect(content.equals(await decryption.decrypt(theirs))).toBe(true);
      const back = decryption.decryptStream(inParts(theirs, partSize));
      expect(content.equals(await collect(back))).toBe(true);
    }),
    { numRuns: runs(60) },
  );
});

test("what was changed, cut or is for another key is not opened", async () => {
  const content = Buffer.alloc(2 * CHUNK_BYTES, "abc");
  const { encryptStream } = createEncryption(recipient);
  const made = await collect(encryptStream([content]));
  const decryption = createDecryption(identity);
  const refused = async (bytes: Buffer) => {
    await expect(decryption.decrypt(bytes)).rejects.toThrow();
    const streamed = collect(decryption.decryptStream(inParts(bytes, 5_000)));
    await expect(streamed).rejects.toThrow();
  };
  for (let at = 0; at < made.length; at += 997) {
    const changed = Buffer.from(made);
    changed[at] = (changed[at] as number) ^ 1;
    await refused(changed);
  }
  const header = made.length - content.length - 2 * 16 - 16;
  const ends = [0, 1, header, header + 16, header + 16 + CHUNK_BYTES + 16];
  for (const end of [...ends, made.length - 1])
    await refused(made.subarray(0, end));
  await refused(Buffer.concat([made, Buffer.from("x")]));
  // Chunks in another order.
  const start = header + 16;
  const sealed = CHUNK_BYTES + 16;
  await refused(
    Buffer.concat([
      made.subarray(0, start),
      made.subarray(start + sealed),
      made.subarray(start, start + sealed),
    ]),
  );
  const other = createDecryption(await generateX25519Identity());
  await expect(other.decrypt(made)).rejects.toThrow();
});

test("a key is opened by its passphrase alone", async () => {
  await using place = await createPlace();
  const { folder } = place;
  expect(await hasKey(folder)).toBe(false);
  expect(await openKey(folder, "some words")).toBeUndefined();
  const key = await createKey(folder, "some words", FAST);
  expect(await hasKey(folder)).toBe(true);
  expect(key.recipient).toBe(await identityToRecipient(key.identity));
  expect(await openKey(folder, "some words")).toEqual(key);
  expect(await codeOfRejection(openKey(folder, "Some words"))).toBe(
    "BACKUP_PASSPHRASE_WRONG",
  );
  expect(await codeOfRejection(createKey(folder, "other", FAST))).toBe(
    "BACKUP_FOLDER_INVALID",
  );
  expect(await openKey(folder, "some words")).toEqual(key);
});

test("another passphrase opens the same key, and the first no more", async () => {
  await using place = await createPlace();
  const { folder } = place;
  expect(
    await codeOfRejection(changePassphrase(folder, { from: "a", to: "b" })),
  ).toBe("BACKUP_FOLDER_INVALID");
  const key = await createKey(folder, "first words", FAST);
  await putFile(place, "agents/a", "text");
  const { path } = await place.write({ recipient: key.recipient });
  const wrong = changePassphrase(folder, { from: "wrong", to: "next" }, FAST);
  expect(await codeOfRejection(wrong)).toBe("BACKUP_PASSPHRASE_WRONG");
  const passphrases = { from: "first words", to: "next words" };
  expect(await changePassphrase(folder, passphrases, FAST)).toEqual(key);
  expect(await codeOfRejection(openKey(folder, "first words"))).toBe(
    "BACKUP_PASSPHRASE_WRONG",
  );
  const opened = await openKey(folder, "next words");
  const reader = await openSnapshot(path, { identity: opened?.identity });
  await reader.check(new AbortController().signal);
});

test("the file of a key is one of age, with a secret key as age-keygen writes it", async () => {
  await using place = await createPlace();
  const key = await createKey(place.folder, "some words", FAST);
  const file = join(place.backup, "key.age");
  const decrypter = new Decrypter();
  decrypter.addPassphrase("some words");
  const text = await decrypter.decrypt(
    Uint8Array.from(await readFile(file)),
    "text",
  );
  expect(text).toBe(`# public key: ${key.recipient}\n${key.identity}\n`);
  // Encrypted again without Gantry, with `age -p` or `age -a -p`.
  const encrypter = new Encrypter();
  encrypter.setScryptWorkFactor(2);
  encrypter.setPassphrase("words of others");
  const made = await encrypter.encrypt(text);
  for (const content of [made, armor.encode(made)]) {
    await writeFile(file, content);
    expect(await openKey(place.folder, "words of others")).toEqual(key);
  }
  await rm(join(place.backup, "key.sha256"));
  expect(await codeOfRejection(openKey(place.folder, "some words"))).toBe(
    "BACKUP_PASSPHRASE_WRONG",
  );
  await writeFile(file, "no key at all");
  expect(await codeOfRejection(openKey(place.folder, "some words"))).toBe(
    "BACKUP_SNAPSHOT_CORRUPT",
  );
  await writeFile(file, Buffer.alloc(100_000));
  expect(await codeOfRejection(openKey(place.folder, "some words"))).toBe(
    "BACKUP_SNAPSHOT_TOO_LARGE",
  );
});

test("an encrypted snapshot needs its key", async () => {
  await using place = await createPlace();
  const { signal } = new AbortController();
  const key = await createKey(place.folder, "some words", FAST);
  const { path } = await place.write({ recipient: key.recipient });
  const reader = await openSnapshot(path);
  const stage = await place.home.stage();
  const list = async () => {
    for await (const _file of reader.files());
  };
  const read = async () => {
    for await (const _batch of reader.entries("snippets"));
  };
  for (const work of [
    () => reader.check(signal),
    () => reader.extract(stage, { signal }),
    list,
    read,
  ])
    expect(await codeOfRejection(work())).toBe("BACKUP_PASSPHRASE_MISSING");
  for (const other of [identity, "AGE-SECRET-KEY-1NONSENSE", ""])
    expect(await codeOfRejection(openSnapshot(path, { identity: other }))).toBe(
      "BACKUP_PASSPHRASE_WRONG",
    );
});
