import { createHook } from "node:async_hooks";
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createKey } from "../../src/archive/backup-key.ts";
import { PIECES_FOLDER, piecePath } from "../../src/archive/names.ts";
import { openSnapshot } from "../../src/archive/open-snapshot.ts";
import { unpackPiece } from "../../src/archive/piece-format.ts";
import { PieceStore } from "../../src/archive/piece-store.ts";
import {
  createPlace,
  digestsIn,
  MIB,
  noise,
  putFile,
  type Place,
} from "./support.ts";

const { signal } = new AbortController();
const FILES = 24;
/** One for packed files, one for pieces, and that which reads the list of files back. */
const MAX_STREAMS = 3;

/** Files and namespaces of which each is a piece or an archive of its own, some larger than a compressor gives at once. */
async function fill(place: Place, fileBytes: number): Promise<void> {
  for (let index = 0; index < FILES; index++) {
    const content = noise(fileBytes * (1 + (index % 3)), index + 1);
    await putFile(place, `agents/${index}`, content);
    place.home.entries.set(`plugin-${index}:note:1`, `"${index}"`);
  }
}

/** Runs work, and counts the streams that compress or decompress which were made for it. */
async function countStreams(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({
    init: (_id, type) => void (type === "ZLIB" && count++),
  });
  hook.enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return count;
}

test.each(["plain", "encrypted"])(
  "the content of a snapshot (%s) is compressed in the same memory",
  async (kind) => {
    await using place = await createPlace();
    await fill(place, MIB / 4);
    const key =
      kind === "encrypted"
        ? await createKey(place.folder, "a passphrase", { workFactor: 2 })
        : undefined;
    let path = "";
    const count = await countStreams(async () => {
      ({ path } = await place.write({ recipient: key?.recipient }));
    });
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThanOrEqual(MAX_STREAMS);
    const reader = await openSnapshot(path, { identity: key?.identity });
    await reader.check(signal);
    const stage = await place.home.stage();
    await reader.extract(stage, { signal });
    const agents = (folder: string) => digestsIn(join(folder, "agents"));
    expect(await agents(join(stage, "data"))).toEqual(
      await agents(place.home.data),
    );
  },
);

test("pieces are written one after the other, so that no flush of others waits for two", async () => {
  await using place = await createPlace();
  await fill(place, MIB);
  let isDone = false;
  let path: string | undefined;
  const writing = place
    .write({
      onProgress() {
        const [name = ""] = readdirSync(place.backup);
        path ??= join(place.backup, name);
      },
    })
    .finally(() => (isDone = true));
  let most = 0;
  while (!isDone) {
    const unfinished = (path === undefined ? [] : readdirSync(path)).filter(
      (name) => name.endsWith(".tmp"),
    );
    most = Math.max(most, unfinished.length);
    await setImmediate();
  }
  await writing;
  expect(most).toBe(1);
});

test("the memory of a piece may be used again before the piece is on disk", async () => {
  await using place = await createPlace();
  const pieces = await PieceStore.open({
    backup: place.backup,
    temporary: place.folder,
    known: new Map(),
  });
  const content = noise(MIB, 1);
  const sha256 = createHash("sha256").update(content).digest("hex");
  let isWritten: boolean | undefined;
  try {
    await pieces.keep(sha256, content, () => {
      isWritten = pieces.has(sha256);
      content.fill(0);
    });
  } finally {
    pieces.close();
  }
  expect(isWritten).toBe(false);
  pieces.use([sha256]);
  expect(await pieces.findDamaged(signal)).toBeUndefined();
  const path = join(place.backup, PIECES_FOLDER, piecePath(sha256, false));
  const stored = await readFile(path);
  const unpacked = await unpackPiece(stored, { sha256, size: MIB }, undefined);
  expect(unpacked).toEqual(noise(MIB, 1));
});
