import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { expect } from "vitest";

interface StoredFile {
  name: string;
  sha256: string;
  bytes: number;
}

interface Manifest {
  archives: StoredFile[];
  files: { list: StoredFile; pieceList: StoredFile; count: number };
}

interface ListedFile {
  path: string;
  sha256: string;
  pieces: string[];
}

const digestOf = (content: Uint8Array) =>
  createHash("sha256").update(content).digest("hex");

/**
 * Compares all of a plain snapshot with what its manifest says, as the README describes the format: with no code of the plugin, and
 * piece by piece. Throws if anything is missing or another.
 *
 * @param seen Pieces that were compared before; they are read once.
 */
export async function checkSnapshot(
  backup: string,
  name: string,
  seen: Set<string>,
): Promise<void> {
  const read = (file: string) => readFile(join(backup, name, file));
  const text = await read("manifest.json");
  const [digest] = (await read("manifest.sha256")).toString().split(" ");
  expect(digestOf(text), `${name}/manifest.json`).toBe(digest);
  const { archives, files } = JSON.parse(text.toString()) as Manifest;
  for (const packed of [...archives, files.list, files.pieceList]) {
    const content = await read(packed.name);
    expect(
      { bytes: content.length, sha256: digestOf(content) },
      `${name}/${packed.name}`,
    ).toEqual({ bytes: packed.bytes, sha256: packed.sha256 });
  }
  const lines = zstdDecompressSync(await read(files.list.name)).toString();
  const listed = lines
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as ListedFile | { path: string });
  const stored = listed.filter((entry) => "pieces" in entry);
  expect(stored.length, `files of ${name}`).toBe(files.count);
  for (const file of stored) await checkFile(backup, file, seen);
  for (const other of listed.slice(stored.length))
    expect(
      "link" in other || "folder" in other,
      `${name}: ${other.path} is a link or a folder`,
    ).toBe(true);
}

async function checkFile(
  backup: string,
  { path, sha256, pieces }: ListedFile,
  seen: Set<string>,
): Promise<void> {
  if (seen.has(sha256)) return;
  const whole = createHash("sha256");
  for (const piece of pieces) {
    const stored = join(backup, "files", piece.slice(0, 2), `${piece}.zst`);
    const content = zstdDecompressSync(await readFile(stored));
    expect(digestOf(content), `a piece of ${path}`).toBe(piece);
    whole.update(content);
  }
  expect(whole.digest("hex"), path).toBe(sha256);
  seen.add(sha256);
}

/** Names of the folders of snapshots, and of those among them that have no manifest. */
export async function listFolders(
  backup: string,
): Promise<{ whole: string[]; half: string[] }> {
  const found = { whole: [] as string[], half: [] as string[] };
  for (const entry of await readdir(backup, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name === "files") continue;
    const names = await readdir(join(backup, entry.name));
    const isWhole = names.includes("manifest.json");
    found[isWhole ? "whole" : "half"].push(entry.name);
  }
  return found;
}
