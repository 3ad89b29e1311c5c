import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Manifest } from "../../src/archive/manifest.ts";
import {
  forgeArchive,
  forgeFileList,
  forgeManifest,
  forgePieceList,
  forgeTar,
} from "./forge.ts";
import {
  ARCHIVE,
  CONTENT,
  CORRUPT,
  createSnapshot,
  listed,
  NAME,
  refusalOf,
  TOO_LARGE,
} from "./hostile-support.ts";
import { digestsIn, sizeOf } from "./support.ts";

test("a bomb is refused before it is unpacked, if it says what it is", async () => {
  await using made = await createSnapshot();
  const { path, place } = made;
  const GIB = 1024 ** 3;
  const bombs: ((manifest: Manifest) => void)[] = [
    ({ archives: [archive] }) => (archive!.unpackedBytes = 100 * GIB),
    ({ archives: [archive] }) => (archive!.unpackedBytes = 17 * 1024 ** 2),
    ({ archives: [archive] }) => (archive!.entries = 10_000_000),
    ({ files }) => (files.list.unpackedBytes = 3 * GIB),
    ({ files }) => (files.pieceList.bytes = 3 * GIB),
    ({ files }) => {
      files.bytes = 100 * GIB;
      files.byPlugin[0]!.bytes = files.bytes;
    },
    ({ files }) => {
      files.count = 10_000_000;
      files.byPlugin[0]!.files = files.count;
    },
  ];
  const before = await readFile(join(path, "manifest.json"), "utf8");
  for (const bomb of bombs) {
    await forgeManifest(path, () => JSON.parse(before) as object);
    expect(await refusalOf(place, path)).toBeUndefined();
    await forgeManifest(path, (manifest) => void bomb(manifest));
    expect(await refusalOf(place, path)).toBe(TOO_LARGE);
  }
});

test("a bomb that lies is refused while it is unpacked, with little on disk", async () => {
  await using made = await createSnapshot();
  const { path, place } = made;
  const zeros = Buffer.alloc(64 * 1024 ** 2);
  const said = { unpackedBytes: 100_000 };
  const refused = async () => {
    const before = await sizeOf(place.home.folder);
    expect(await refusalOf(place, path)).toBe(TOO_LARGE);
    expect(await sizeOf(place.home.folder)).toBe(before);
  };
  await forgeArchive(
    path,
    ARCHIVE,
    forgeTar([{ header: { path: NAME, type: "File" }, content: zeros }]),
    said,
  );
  await refused();
  // A header that says more than the archive has.
  await forgeArchive(
    path,
    ARCHIVE,
    forgeTar([{ header: { path: NAME, type: "File", size: 2 ** 40 } }]),
  );
  await refused();
  // More files than were said, each of them empty.
  const home = "home.files.tar.zst";
  const many = ["config.json", "token"].map((name) => ({
    header: { path: name, type: "File" as const },
  }));
  await forgeArchive(path, home, forgeTar(many), { entries: 1 });
  await refused();
});

test("a piece that holds more than it should is refused", async () => {
  await using made = await createSnapshot();
  const { path, place } = made;
  const [piece] = Object.keys(await digestsIn(join(place.backup, "files")));
  const seal = (frame: Buffer) =>
    Buffer.concat([
      ...[frame, Buffer.from([0x50, 0x2a, 0x4d, 0x18, 32, 0, 0, 0])],
      createHash("sha256").update(frame).digest(),
    ]);
  const target = join(place.backup, "files", piece as string);
  await writeFile(target, seal(zstdCompressSync(Buffer.alloc(64 * 1024 ** 2))));
  expect(await refusalOf(place, path)).toBe(TOO_LARGE);
  await writeFile(target, seal(zstdCompressSync(Buffer.from("less"))));
  expect(await refusalOf(place, path)).toBe(CORRUPT);
  await writeFile(target, Buffer.alloc(5 * 1024 ** 2));
  expect(await refusalOf(place, path)).toBe(TOO_LARGE);
  await writeFile(target, seal(zstdCompressSync(CONTENT)));
  expect(await refusalOf(place, path)).toBeUndefined();
});

test("one piece is not a hundred gigabytes", async () => {
  await using made = await createSnapshot();
  const { path, place } = made;
  const sha256 = "ab".repeat(32);
  const pieces = Array.from({ length: 25_600 }, () => sha256);
  const size = pieces.length * 4 * 1024 ** 2;
  await forgePieceList(path, `${sha256}  200\n`, (files) => {
    files.storedBytes = 200;
  });
  await forgeFileList(path, [listed("a", { size, pieces })], (files) => {
    files.bytes = size;
    files.byPlugin = [{ plugin: "agents", files: 1, bytes: size }];
  });
  expect(await refusalOf(place, path)).toBe(TOO_LARGE);
});
