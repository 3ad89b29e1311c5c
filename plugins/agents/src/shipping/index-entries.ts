import { realpath } from "node:fs/promises";
import { relative } from "node:path";
import type { Git } from "@gantry/git-kit";
import * as z from "zod";
import { parseGitPath, toPathText } from "../repository/path-text.ts";
import { readGit, splitFields } from "../repository/read-git.ts";
import { toWriteError } from "./to-write-error.ts";

const MAX_LISTED_BYTES = 16 * 1024 * 1024;

const entry = z.string().regex(/^[0-7]{6} [0-9a-f]{40,64}$/);

/** What is done to a file in the index of the user's repository: mode and hash before and after, `null` for none. */
export const indexChangeSchema = z.object({
  /** From the agent's folder on, one character for each byte. */
  path: z.string(),
  before: entry.nullable(),
  after: entry.nullable(),
});
export type IndexChange = z.infer<typeof indexChangeSchema>;

/** Mode and hash of files in the index. */
export interface IndexEntries {
  entries: ReadonlyMap<string, string>;
  /** Files that are in conflict, one character for each byte. */
  unmerged: readonly string[];
}

/** @param paths From the folder on, one character for each byte. */
export async function readEntries(
  git: Git,
  root: string,
  paths: readonly string[],
): Promise<IndexEntries> {
  if (paths.length === 0) return { entries: new Map(), unmerged: [] };
  const listed = await readGit(git, root, "ls-files", ["--stage", "-z"], {
    paths: paths.map((path) => parseGitPath(toPathText(path))),
    encoding: "latin1",
    maxOutputBytes: MAX_LISTED_BYTES,
  });
  const asked = new Set(paths);
  const entries = new Map<string, string>();
  const unmerged = new Set<string>();
  for (const field of splitFields(listed)) {
    const tab = field.indexOf("\t");
    const [mode, hash, stage] = field.slice(0, tab).split(" ");
    const path = field.slice(tab + 1);
    // Files may be below that name: a folder was, where now there is a file.
    if (!asked.has(path)) continue;
    if (stage === "0") entries.set(path, `${mode} ${hash}`);
    else unmerged.add(path);
  }
  return { entries, unmerged: [...unmerged] };
}

/** Changes files in the index, all of them or none. @throws GIT_BUSY, GIT_WRITE_FAILED */
export async function writeEntries(
  git: Git,
  root: string,
  changes: readonly IndexChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const start = await readPrefix(git, root);
  const lines = changes.map(({ path, before, after }) => {
    const none = `0 ${"0".repeat(before?.split(" ")[1]?.length ?? 40)}`;
    return `${after === null ? none : after}\t${start}${path}\0`;
  });
  const options = { programs: false } as const;
  const result = await git.write(root, "update-index", ["-z", "--index-info"], {
    ...options,
    input: Buffer.from(lines.join(""), "latin1"),
  });
  if (result.code !== 0)
    throw toWriteError({ command: "update-index", ...options }, result);
}

/**
 * Else git would take files for changed that are as the index has them. It fails if others are changed.
 *
 * @param programs Whether filters of the repository may run.
 */
export async function refreshIndex(
  git: Git,
  root: string,
  programs: boolean,
): Promise<void> {
  await git.write(root, "update-index", ["-q", "--refresh"], { programs });
}

/** Stores a content in the user's repository. @returns its hash @throws GIT_WRITE_FAILED */
export async function storeBlob(
  git: Git,
  root: string,
  content: Uint8Array,
): Promise<string> {
  const options = { programs: false } as const;
  const stored = await git.write(root, "hash-object", ["-w", "--stdin"], {
    ...options,
    input: content,
  });
  if (stored.code !== 0)
    throw toWriteError({ command: "hash-object", ...options }, stored);
  return stored.stdout.trim();
}

/** From the top of the working tree to a folder, one character for each byte: empty, or with a slash at its end. */
export async function readPrefix(git: Git, root: string): Promise<string> {
  const top = (await git.root(root)) ?? root;
  const prefix = relative(top, await realpath(root));
  return prefix === "" ? "" : `${Buffer.from(prefix).toString("latin1")}/`;
}
