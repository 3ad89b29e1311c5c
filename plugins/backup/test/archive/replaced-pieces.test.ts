import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { expect, test } from "vitest";
import { PIECES_FOLDER, piecePath } from "../../src/archive/names.ts";
import { openSnapshot } from "../../src/archive/open-snapshot.ts";
import type { SnapshotRequest } from "../../src/archive/write-snapshot.ts";
import {
  codeOfRejection,
  createPlace,
  noise,
  putFile,
  type Place,
} from "./support.ts";

const CONTENT = noise(1_000, 1);

/** A home with one file, and where its content is stored. */
async function createPlaceWithPiece(isEncrypted: boolean) {
  const place = await createPlace();
  await putFile(place, "agents/transcripts/a.jsonl", CONTENT);
  const sha256 = createHash("sha256").update(CONTENT).digest("hex");
  const piece = join(
    place.backup,
    PIECES_FOLDER,
    piecePath(sha256, isEncrypted),
  );
  return { place, piece };
}

/** Has another writer put a piece of its own in place, when all content is written and nothing is read back yet. */
function replaceMeanwhile(
  { home }: Place,
  piece: string,
  toStored: (written: Buffer) => Buffer,
): void {
  home.plugins = () => {
    writeFileSync(`${piece}.other`, toStored(readFileSync(piece)));
    renameSync(`${piece}.other`, piece);
    return {};
  };
}

async function createKey(): Promise<
  Required<Pick<SnapshotRequest, "identity" | "recipient">>
> {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

const spoil = (written: Buffer) => Buffer.alloc(written.length, 1);

test.each([
  ["plain", false],
  ["encrypted", true],
])(
  "a piece that another writer replaced by other bytes of the same size fails a snapshot that is %s",
  async (_, isEncrypted) => {
    const { place, piece } = await createPlaceWithPiece(isEncrypted);
    await using _place = place;
    replaceMeanwhile(place, piece, spoil);
    const writing = place.write(isEncrypted ? await createKey() : {});
    expect(await codeOfRejection(writing)).toBe("BACKUP_FOLDER_UNAVAILABLE");
  },
);

test("a piece that another writer encrypted once more is as good", async () => {
  const { place, piece } = await createPlaceWithPiece(true);
  await using _ = place;
  const key = await createKey();
  await place.write(key);
  const other = readFileSync(piece);
  replaceMeanwhile(place, piece, (written) => {
    expect(written).not.toEqual(other);
    return other;
  });
  const { path } = await place.write({ ...key, rewrites: true });
  const reader = await openSnapshot(path, { identity: key.identity });
  await reader.check(new AbortController().signal);
});

test("without the secret key, a piece that another writer replaced counts by its size", async () => {
  const { place, piece } = await createPlaceWithPiece(true);
  await using _ = place;
  const { recipient } = await createKey();
  replaceMeanwhile(place, piece, spoil);
  expect(await codeOfRejection(place.write({ recipient }))).toBeUndefined();
});
