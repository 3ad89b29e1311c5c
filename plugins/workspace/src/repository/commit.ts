import { showPath } from "@gantry/agent-folder";
import type { Git } from "@gantry/plugin";
import { errors } from "../errors.ts";
import { MAX_TEXT_BYTES } from "../files/text-files.ts";
import { toTimestamp } from "./history.ts";
import { PATCH_ARGUMENTS, toPatch, type Patch } from "./patch.ts";
import { readGit, splitFields } from "./read-git.ts";

const MAX_MESSAGE_BYTES = 64 * 1024;
const MAX_FILES = 2000;
const MAX_LIST_BYTES = 1024 * 1024;
/** Compares a merge with its first parent, which shows what it brought to its branch. */
const FIRST_PARENT = ["-m", "--first-parent", "--root"];

/** A file that a commit changed. */
export interface CommitFile {
  path: string;
  from: string | null;
  kind: "modified" | "added" | "deleted" | "renamed" | "type-changed";
  /** Lines; `null` where there are none to count. */
  additions: number | null;
  deletions: number | null;
}

/** A commit with all that it changed. */
export interface CommitDetail extends Patch {
  hash: string;
  parents: string[];
  author: string;
  email: string;
  at: string;
  committer: string;
  committedAt: string;
  message: string;
  files: CommitFile[];
}

/** Reads a commit by its full hash. Of its changes, those in the agent's folder, with paths relative to it. */
export async function readCommit(
  git: Git,
  folder: string,
  hash: string,
): Promise<CommitDetail> {
  const format = ["%H", "%P", "%an", "%ae", "%at", "%cn", "%ct", "%B"];
  const [about, listed, patch] = await Promise.all([
    readGit(
      git,
      folder,
      "show",
      ["-s", `--format=${format.join("%x00")}`, hash],
      {
        maxOutputBytes: MAX_MESSAGE_BYTES,
      },
    ),
    readGit(
      git,
      folder,
      "show",
      [
        "--format=",
        "--raw",
        "--numstat",
        "-z",
        "-M",
        "--relative",
        ...FIRST_PARENT,
        hash,
      ],
      { maxOutputBytes: MAX_LIST_BYTES },
    ),
    readGit(
      git,
      folder,
      "show",
      ["--format=", "-p", ...PATCH_ARGUMENTS, ...FIRST_PARENT, hash],
      { maxOutputBytes: MAX_TEXT_BYTES },
    ),
  ]);
  const [
    ,
    parents = "",
    author = "",
    email = "",
    at = "",
    committer = "",
    committedAt = "",
    ...message
  ] = about.stdout.split("\0");
  const all = parseFiles(splitFields(listed));
  const { text, truncated } = toPatch(patch);
  return {
    hash,
    parents: parents.split(" ").filter(Boolean),
    author,
    email,
    at: toTimestamp(at),
    committer,
    committedAt: toTimestamp(committedAt),
    message: message.join("\0").trim(),
    files: all.slice(0, MAX_FILES),
    patch: text,
    truncated:
      truncated ||
      about.truncated ||
      listed.truncated ||
      all.length > MAX_FILES,
  };
}

const KINDS: Readonly<Record<string, CommitFile["kind"]>> = {
  A: "added",
  C: "added",
  D: "deleted",
  R: "renamed",
  T: "type-changed",
};

/** Reads what `--raw --numstat -z` prints: of all files how they changed, then of all how many lines. */
export function parseFiles(fields: readonly string[]): CommitFile[] {
  const files = new Map<string, CommitFile>();
  for (let at = 0; at < fields.length;) {
    const field = fields[at++] ?? "";
    const letter = /^\n?:.* ([A-Z])\d*$/s.exec(field)?.[1];
    const counts = /^\n?(\d+|-)\t(\d+|-)\t(.*)$/s.exec(field);
    if (letter) {
      const isMoved = letter === "R" || letter === "C";
      const from = isMoved ? (fields[at++] ?? "") : null;
      const path = fields[at++] ?? "";
      const kind = KINDS[letter] ?? "modified";
      files.set(path, { path, from, kind, additions: null, deletions: null });
    } else if (counts) {
      const [, additions, deletions, own = ""] = counts;
      // One that was moved has both its paths behind the counts.
      const path = own === "" ? (fields[(at += 2) - 1] ?? "") : own;
      const file = files.get(path);
      if (file) {
        file.additions = toCount(additions);
        file.deletions = toCount(deletions);
      }
    }
  }
  return [...files.values()];
}

function toCount(text: string | undefined): number | null {
  return text === undefined || text === "-" ? null : Number(text);
}

/** A file as a commit has it. */
export interface FileAtRevision {
  hash: string;
  path: string;
  text: string;
  bytes: number;
}

/**
 * Reads the text of a file as a commit has it.
 *
 * @throws PATH_NOT_FOUND, FILE_NOT_REGULAR, FILE_TOO_LARGE, FILE_NOT_TEXT
 */
export async function readFileAt(
  git: Git,
  folder: string,
  hash: string,
  path: string,
): Promise<FileAtRevision> {
  const values = { path: showPath(path) };
  const listed = await readGit(git, folder, "ls-tree", ["-z", "-l", hash], {
    paths: [path],
  });
  const entry = splitFields(listed)[0] ?? "";
  const [, mode, kind, object = "", size] =
    /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t/.exec(entry) ?? [];
  if (!mode) throw errors.PATH_NOT_FOUND(values);
  if (kind !== "blob" || mode === "120000")
    throw errors.FILE_NOT_REGULAR(values);
  const bytes = Number(size);
  if (bytes > MAX_TEXT_BYTES)
    throw errors.FILE_TOO_LARGE({ ...values, limit: "1 MiB" });
  const { stdout: text } = await readGit(
    git,
    folder,
    "cat-file",
    ["blob", object],
    {
      maxOutputBytes: MAX_TEXT_BYTES,
    },
  );
  // Bytes that are no UTF-8 come as another number of bytes.
  if (text.includes("\0") || Buffer.byteLength(text) !== bytes)
    throw errors.FILE_NOT_TEXT(values);
  return { hash, path, text, bytes };
}
