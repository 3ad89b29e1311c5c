import { createHash } from "node:crypto";
import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createIdentifier } from "@gantry/plugin";
import { BACKUP_FOLDER } from "../../src/archive/names.ts";
import {
  writeSnapshot,
  type SnapshotRequest,
} from "../../src/archive/write-snapshot.ts";
import { openSnapshot } from "../../src/archive/open-snapshot.ts";
import {
  createFakeWholeHome,
  type FakeWholeHome,
} from "../support/fake-whole-home.ts";

/** Long before any test: a file of then is not taken for one that is just being written. */
export const LONG_AGO = new Date("2020-01-01T00:00:00Z");

/** A home and a folder for its snapshots. */
export interface Place {
  home: FakeWholeHome;
  /** The folder that was chosen. */
  folder: string;
  /** The one that snapshots are in. */
  backup: string;
  /** Writes a snapshot, each a minute after the one before. */
  write(options?: Partial<SnapshotRequest>): Promise<Written>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Written {
  manifest: Awaited<ReturnType<typeof writeSnapshot>>;
  path: string;
}

export async function createPlace(): Promise<Place> {
  const home = await createFakeWholeHome();
  const folder = await mkdtemp(join(tmpdir(), "gantry-backups-"));
  const backup = join(folder, BACKUP_FOLDER);
  await mkdir(backup);
  let minutes = 0;
  return {
    home,
    folder,
    backup,
    async write(options = {}) {
      const at = Date.parse("2026-01-02T03:04:05.678Z") + ++minutes * 60_000;
      const createdAt = new Date(at).toISOString();
      const manifest = await writeSnapshot({
        home,
        folder,
        id: createIdentifier("snap"),
        createdAt,
        reason: "manual",
        includeTranscripts: true,
        includeSecrets: false,
        signal: new AbortController().signal,
        ...options,
      });
      const name = manifest.createdAt.replaceAll(/[:.]/g, "-");
      return { manifest, path: join(backup, name) };
    },
    async [Symbol.asyncDispose]() {
      await home[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Writes a file of a plugin, as one that was left alone for long. */
export async function putFile(
  { home }: Place,
  path: string,
  content: string | Uint8Array,
): Promise<void> {
  const file = join(home.data, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  await utimes(file, LONG_AGO, LONG_AGO);
}

/** Paths of all files below a folder, with their digests. */
export async function digestsIn(
  folder: string,
): Promise<Record<string, string>> {
  const entries = await readdir(folder, {
    withFileTypes: true,
    recursive: true,
  }).catch(() => []);
  const found: [string, string][] = [];
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const digest = createHash("sha256").update(await readFile(path));
    found.push([path.slice(folder.length + 1), digest.digest("hex")]);
  }
  return Object.fromEntries(
    found.sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** Bytes of all files below a folder. */
export async function sizeOf(folder: string): Promise<number> {
  const paths = Object.keys(await digestsIn(folder));
  const sizes = await Promise.all(
    paths.map(async (path) => (await lstat(join(folder, path))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The code of what a promise rejects with; `undefined` if it does not. */
export async function codeOfRejection(
  promise: Promise<unknown>,
): Promise<unknown> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    return (error as { code?: unknown }).code ?? error;
  }
}

export const MIB = 1024 * 1024;

/** Content that does not compress, and is not the same anywhere. */
export function noise(length: number, seed: number): Buffer {
  const content = Buffer.alloc(length);
  let state = seed;
  for (let at = 0; at + 4 <= length; at += 4) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    content.writeUInt32LE((state ^ (state >>> 13)) >>> 0, at);
  }
  return content;
}

/** Checks a plain snapshot and extracts it into a stage. */
export async function extract(place: Place, path: string): Promise<string> {
  const { signal } = new AbortController();
  const reader = await openSnapshot(path);
  await reader.check(signal);
  const stage = await place.home.stage();
  await reader.extract(stage, { signal });
  return stage;
}
