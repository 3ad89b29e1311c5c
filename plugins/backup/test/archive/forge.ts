import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { Header, type HeaderData } from "tar";
import type { Manifest } from "../../src/archive/manifest.ts";

/** What is put into an archive: a header of any kind, and content of any length. */
export interface ForgedEntry {
  header: HeaderData;
  content?: Buffer;
}

const sha256 = (content: Uint8Array) =>
  createHash("sha256").update(content).digest("hex");

/** An archive of anything. */
export function forgeTar(entries: readonly ForgedEntry[]): Buffer {
  const parts = entries.flatMap(({ header, content = Buffer.alloc(0) }) => {
    const block = Buffer.alloc(512);
    new Header({ mode: 0o600, size: content.length, ...header }).encode(block);
    const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
    return [block, content, padding];
  });
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
}

/** Changes a manifest, with a digest that fits. */
export async function forgeManifest(
  path: string,
  change: (manifest: Manifest) => unknown,
): Promise<void> {
  const file = join(path, "manifest.json");
  const manifest = JSON.parse(await readFile(file, "utf8")) as Manifest;
  const text = JSON.stringify(change(manifest) ?? manifest);
  await writeFile(file, text);
  const digest = `${sha256(Buffer.from(text))}  manifest.json\n`;
  await writeFile(join(path, "manifest.sha256"), digest);
}

/** Puts other content into an archive of a snapshot, with sizes and digests in the manifest that fit. */
export async function forgeArchive(
  path: string,
  name: string,
  unpacked: Buffer,
  said: { entries?: number; unpackedBytes?: number } = {},
): Promise<void> {
  const stored = zstdCompressSync(unpacked);
  await writeFile(join(path, name), stored);
  await forgeManifest(path, ({ archives }) => {
    const archive = archives.find((each) => each.name === name);
    if (!archive) throw new Error(`There is no archive ${name}.`);
    Object.assign(archive, {
      sha256: sha256(stored),
      bytes: stored.length,
      unpackedBytes: unpacked.length,
      contentSha256: archive.namespace && sha256(firstFileOf(unpacked)),
      ...said,
    });
  });
}

function firstFileOf(tar: Buffer): Buffer {
  const size = tar.length < 512 ? 0 : (new Header(tar).size ?? 0);
  return tar.subarray(512, 512 + size);
}

/** Puts other lines into the list of files, and what a change makes of the counts of files. */
export async function forgeFileList(
  path: string,
  lines: readonly unknown[],
  change: (files: Manifest["files"]) => void = () => {},
): Promise<void> {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const stored = zstdCompressSync(Buffer.from(text));
  await forgeManifest(path, ({ files }) => {
    Object.assign(files.list, {
      sha256: sha256(stored),
      bytes: stored.length,
      unpackedBytes: Buffer.byteLength(text),
    });
    change(files);
  });
  await writeFile(join(path, "files.ndjson.zst"), stored);
}

/** Puts other lines into the list of pieces. */
export async function forgePieceList(
  path: string,
  text: string,
  change: (files: Manifest["files"]) => void,
): Promise<void> {
  await writeFile(join(path, "pieces.txt"), text);
  await forgeManifest(path, ({ files }) => {
    files.pieceList.sha256 = sha256(Buffer.from(text));
    files.pieceList.bytes = Buffer.byteLength(text);
    change(files);
  });
}
