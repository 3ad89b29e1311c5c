import type { Git } from "@gantry/git-kit";
import type {
  ChangedFile,
  KeptFile,
} from "../checkpoints/compare-snapshots.ts";
import { MAX_FILE_BYTES } from "../checkpoints/limits.ts";
import { errors } from "../errors.ts";
import type { AgentFolder } from "../folder/agent-folder.ts";
import { showPath } from "../folder/folder-path.ts";
import {
  parseGitPath,
  toPathBytes,
  toPathText,
} from "../repository/path-text.ts";
import { readAll, readGit, splitFields } from "../repository/read-git.ts";
import { readStatus } from "../repository/status.ts";
import { findFiltered } from "./find-filtered.ts";
import type { ProgramsState } from "./git-trust.ts";
import { readEntries, readPrefix, type IndexChange } from "./index-entries.ts";
import { refuseUnmerged, toCheckedBytes } from "./staging.ts";
import { toWriteError } from "./to-write-error.ts";

const MAX_LISTED_BYTES = 16 * 1024 * 1024;
/** What git prints before a content. */
const MAX_HEADER_BYTES = 256;
const LINK = "120000";
const SUBMODULE = "160000";

/** A file that is to become another one. */
export interface Discarded {
  /** From the agent's folder on, one character for each byte. */
  path: string;
  /** What it becomes; `undefined` if it is removed. */
  mode: string | undefined;
  content(): Promise<Uint8Array>;
  /** What it has to be now, if that is known. */
  now: ChangedFile["after"];
}

/** What a discard does to files, and to the index of the user's repository. */
export interface DiscardPlan {
  files: readonly Discarded[];
  index: readonly IndexChange[];
}

/**
 * Plans how files become as the last commit has them. Writes nothing.
 *
 * @throws GIT_CONFLICTED, GIT_DISCARD_IMPOSSIBLE, GIT_PROGRAMS_NEEDED, PATH_OUTSIDE, PATH_INVALID, PATH_PROTECTED
 */
export async function planDiscard(
  git: Git,
  { root }: AgentFolder,
  paths: readonly string[],
  programs: ProgramsState,
): Promise<DiscardPlan> {
  const asked = new Set(paths.map(toCheckedBytes));
  const former = await listFormer(git, root, asked);
  const all = [...new Set([...asked, ...former])];
  const [committed, { entries, unmerged }, fresh] = await readAll([
    readCommitted(git, root, all),
    readEntries(git, root, all),
    listFresh(git, root, all),
  ]);
  refuseUnmerged(unmerged.map(toPathText));
  for (const path of asked) {
    const isSubmodule = [committed.get(path)?.mode, entries.get(path)].some(
      (entry) => entry?.startsWith(SUBMODULE),
    );
    const isKnown = committed.has(path) || entries.has(path) || fresh.has(path);
    if (isSubmodule || !isKnown)
      throw errors.GIT_DISCARD_IMPOSSIBLE({
        path: showPath(toPathText(path)),
        reason: isSubmodule
          ? "it is a submodule, which has changes and commits of its own"
          : "this repository has no change of it; it may be gone, ignored, or in a repository of its own",
      });
  }
  const known = all.filter((path) => !former.has(path) || committed.has(path));
  const stored = [...committed.keys()];
  if (!programs.trusted) await refuseFiltered(git, root, stored, programs);
  return {
    files: known.map((path) => {
      const file = committed.get(path);
      return {
        ...{ path, mode: file?.mode, now: undefined },
        content: () => readCheckedOut(git, root, path, file!, programs.trusted),
      };
    }),
    index: known.flatMap((path) => {
      const file = committed.get(path);
      const before = entries.get(path) ?? null;
      const after = file ? `${file.mode} ${file.hash}` : null;
      return before === after ? [] : [{ path, before, after }];
    }),
  };
}

/** @throws GIT_PROGRAMS_NEEDED */
export async function refuseFiltered(
  git: Git,
  root: string,
  paths: readonly string[],
  { filters }: ProgramsState,
): Promise<void> {
  const [filtered] = await findFiltered(git, root, paths, filters);
  if (filtered)
    throw errors.GIT_PROGRAMS_NEEDED({
      reason: `${showPath(filtered.path)} is read through the filter ${filtered.filter}, which this repository defines`,
    });
}

/**
 * The bytes of a file as git would write them into the folder.
 *
 * @param file As a commit has it.
 * @param trusted Whether filters of the repository may run.
 * @throws FILE_TOO_LARGE, GIT_OBJECT_MISSING, GIT_WRITE_FAILED
 */
export async function readCheckedOut(
  git: Git,
  root: string,
  path: string,
  { mode, hash }: KeptFile,
  trusted: boolean,
): Promise<Uint8Array> {
  const name = `${await readPrefix(git, root)}${path}`;
  // No filter is for what a link leads to.
  const filters = mode === LINK ? [] : ["--filters"];
  const isNul = name.includes("\n");
  const line = mode === LINK ? hash : `${hash} ${name}`;
  const result = await git.write(
    root,
    "cat-file",
    ["--batch", ...filters, ...(isNul ? ["-z"] : [])],
    {
      input: Buffer.from(`${line}${isNul ? "\0" : "\n"}`, "latin1"),
      programs: trusted,
      encoding: "latin1",
      maxOutputBytes: MAX_FILE_BYTES + MAX_HEADER_BYTES,
    },
  );
  const { code, stdout, truncated } = result;
  if (truncated)
    throw errors.FILE_TOO_LARGE({
      path: showPath(toPathText(path)),
      limit: `${MAX_FILE_BYTES / 1024 / 1024} MiB`,
    });
  if (code !== 0)
    throw toWriteError({ command: "cat-file", programs: trusted }, result);
  const end = stdout.indexOf("\n");
  if (!stdout.slice(0, end).includes(" blob "))
    throw errors.GIT_OBJECT_MISSING({ reason: `${hash} is missing` });
  return Buffer.from(stdout.slice(end + 1, -1), "latin1");
}

/** Names that files had before they were renamed. */
async function listFormer(
  git: Git,
  root: string,
  asked: ReadonlySet<string>,
): Promise<Set<string>> {
  const { items } = await readStatus(git, root);
  const former = items.flatMap(({ path, from }) =>
    from !== null && asked.has(toPathBytes(path)) ? [toPathBytes(from)] : [],
  );
  return new Set(former.filter((path) => !asked.has(path)));
}

/** Files as the last commit has them. */
async function readCommitted(
  git: Git,
  root: string,
  paths: readonly string[],
): Promise<Map<string, KeptFile>> {
  if ((await git.resolve(root, "HEAD")) === undefined) return new Map();
  const listed = await readGit(git, root, "ls-tree", ["-z", "HEAD"], {
    paths: paths.map((path) => parseGitPath(toPathText(path))),
    encoding: "latin1",
    maxOutputBytes: MAX_LISTED_BYTES,
  });
  return new Map(
    splitFields(listed).flatMap((field): [string, KeptFile][] => {
      const tab = field.indexOf("\t");
      const [mode = "", type, hash = ""] = field.slice(0, tab).split(" ");
      // Of a folder, each file is a change of its own.
      return type === "tree" ? [] : [[field.slice(tab + 1), { mode, hash }]];
    }),
  );
}

/** Those of the files that git does not know, and does not ignore. */
async function listFresh(
  git: Git,
  root: string,
  paths: readonly string[],
): Promise<Set<string>> {
  const listed = await readGit(
    git,
    root,
    "ls-files",
    ["--others", "--exclude-standard", "-z"],
    {
      paths: paths.map((path) => parseGitPath(toPathText(path))),
      encoding: "latin1",
      maxOutputBytes: MAX_LISTED_BYTES,
    },
  );
  return new Set(splitFields(listed));
}
