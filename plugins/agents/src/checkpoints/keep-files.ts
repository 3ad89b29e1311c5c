import { randomBytes } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PrivateGit, PrivatePlaces } from "@gantry/git-kit";
import { errors } from "../errors.ts";
import { showPath } from "../folder/folder-path.ts";
import { toPathText } from "../repository/path-text.ts";
import { splitFields } from "../repository/read-git.ts";
import type { KeptFile } from "./compare-snapshots.ts";
import { isSame } from "./file-state.ts";
import { NoCheckpoint } from "./no-checkpoint.ts";
import type { PlannedFile } from "./plan-restore.ts";
import { runPrivate } from "./run-private.ts";
import { storeFiles } from "./store-files.ts";

const MAX_LISTED_BYTES = 32 * 1024 * 1024;

/**
 * Stores files as they are before they are written over.
 *
 * @throws FILE_CHANGED for one that is not as it was when it was looked at, CHECKPOINT_IMPOSSIBLE for too many bytes
 */
export async function keepFiles(
  git: PrivateGit,
  places: PrivatePlaces,
  written: readonly PlannedFile[],
  signal: AbortSignal,
): Promise<void> {
  const there = written.filter(({ state }) => state.kept !== undefined);
  if (there.length === 0) return;
  const present = there.map(({ file }) => file.path);
  await inScratch(places.repository, async (scratch) => {
    const own = { ...places, index: `${scratch}.index` };
    const none = { known: new Set<string>(), gone: [], forced: [] };
    await storeFiles(git, own, { present, ...none }, signal).catch(
      (cause: unknown) => {
        if (!(cause instanceof NoCheckpoint)) throw cause;
        const { message: reason } = cause;
        throw errors.CHECKPOINT_IMPOSSIBLE({ reason }, { cause });
      },
    );
    const stored = await listStored(git, own);
    for (const { file, state } of there)
      if (!isSame(stored.get(file.path), state.kept))
        throw errors.FILE_CHANGED({ path: showPath(toPathText(file.path)) });
  });
}

/** Stores contents. @returns their hashes, in the same order */
export async function keepContents(
  git: PrivateGit,
  { repository }: PrivatePlaces,
  contents: AsyncIterable<Uint8Array>,
): Promise<string[]> {
  return await inScratch(repository, async (scratch) => {
    const names: string[] = [];
    for await (const content of contents) {
      const name = String(names.length);
      await writeFile(join(scratch, name), content, { mode: 0o600 });
      names.push(name);
    }
    if (names.length === 0) return [];
    const own = {
      repository,
      workTree: scratch,
      folder: scratch,
      index: `${scratch}.index`,
    };
    await runPrivate(git, own, "update-index", ["--add", "-z", "--stdin"], {
      input: names.map((name) => `${name}\0`).join(""),
    });
    const stored = await listStored(git, own);
    return names.map((name) => stored.get(name)!.hash);
  });
}

/** Makes a tree of some files that are stored. @returns its hash */
export async function keepTreeOf(
  git: PrivateGit,
  places: PrivatePlaces,
  files: readonly { path: string; kept: KeptFile | undefined }[],
): Promise<string> {
  return await inScratch(places.repository, async (scratch) => {
    const own = {
      ...places,
      folder: places.workTree,
      index: `${scratch}.index`,
    };
    const lines = files.flatMap(({ path, kept }) =>
      kept ? [`${kept.mode} ${kept.hash}\t${path}\0`] : [],
    );
    await runPrivate(git, own, "update-index", ["-z", "--index-info"], {
      input: Buffer.from(lines.join(""), "latin1"),
    });
    const { stdout } = await runPrivate(git, own, "write-tree", []);
    return stdout.trim();
  });
}

/** Works with a folder of our own, and an index beside it, which are removed then. */
export async function inScratch<Result>(
  repository: string,
  work: (scratch: string) => Promise<Result>,
): Promise<Result> {
  const name = `scratch-${randomBytes(6).toString("hex")}`;
  const scratch = join(repository, name);
  try {
    await mkdir(scratch, { mode: 0o700 });
    return await work(scratch);
  } finally {
    for (const path of [scratch, `${scratch}.index`, `${scratch}.index.lock`])
      await rm(path, { recursive: true, force: true });
  }
}

async function listStored(
  git: PrivateGit,
  places: PrivatePlaces,
): Promise<Map<string, KeptFile>> {
  const listed = await runPrivate(git, places, "ls-files", ["--stage", "-z"], {
    maxOutputBytes: MAX_LISTED_BYTES,
  });
  return new Map(
    splitFields(listed).map((field) => {
      const tab = field.indexOf("\t");
      const [mode = "", hash = ""] = field.slice(0, tab).split(" ");
      return [field.slice(tab + 1), { mode, hash }];
    }),
  );
}
