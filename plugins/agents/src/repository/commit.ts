import type { Git, GitOptions, GitResult } from "@gantry/git-kit";
import { isGantryError } from "@gantry/plugin";
import { errors } from "../errors.ts";
import { showPath } from "../folder/folder-path.ts";
import { decodeText, MAX_TEXT_BYTES } from "../folder/text-files.ts";
import { toTimestamp } from "./history.ts";
import { PATCH_ARGUMENTS, readWholePatch, type Patch } from "./whole-patch.ts";
import { parseGitPath, toPathText } from "./path-text.ts";
import { isRead, readAll, readGit, splitFields } from "./read-git.ts";

const MAX_MESSAGE_BYTES = 64 * 1024;
const MAX_FILES = 5000;
const MAX_LISTED_BYTES = 1024 * 1024;
/** Against the first parent: what the commit brought to the branch that it is on. */
const FIRST_PARENT = ["-m", "--first-parent", "--root"];

/** A file that a commit changed. */
export interface CommitFile {
  /** With octal numbers for bytes if it is not UTF-8. */
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

/**
 * Reads a commit by its full hash. Its changes are those in the agent's folder, with paths relative to it, as far as the objects
 * are there: a partial clone has only a part of them.
 */
export async function readCommit(
  git: Git,
  folder: string,
  hash: string,
): Promise<CommitDetail> {
  const format = ["%H", "%P", "%an", "%ae", "%at", "%cn", "%ct", "%B"];
  const show = (args: string[], options: GitOptions) =>
    git(folder, "show", [...args, ...FIRST_PARENT, hash], options);
  const [about, listed] = await readAll([
    readGit(
      git,
      folder,
      // Unlike `show -s`, it does without the commit's tree.
      "log",
      ["--no-walk", `--format=${format.join("%x00")}`, hash],
      { maxOutputBytes: MAX_MESSAGE_BYTES },
    ),
    listFiles(show),
  ]);
  const patch = await readWholePatch(
    (paths, options) =>
      show(["--format=", "-p", ...PATCH_ARGUMENTS], {
        ...options,
        ...(paths ? { paths } : {}),
      }),
    async () => listed.files.map(({ path }) => parseGitPath(path)),
    MAX_TEXT_BYTES,
  ).catch((error: unknown): Patch => {
    if (!isGantryError(error) || error.code === "GIT_TIMEOUT") throw error;
    return { patch: "", truncated: true, notices: [error.message] };
  });
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
  return {
    hash,
    parents: parents.split(" ").filter(Boolean),
    author,
    email,
    at: toTimestamp(at),
    committer,
    committedAt: toTimestamp(committedAt),
    message: message.join("\0").trim(),
    files: listed.files.slice(0, MAX_FILES),
    patch: patch.patch,
    truncated:
      patch.truncated ||
      about.truncated ||
      listed.truncated ||
      listed.files.length > MAX_FILES,
    notices: [
      ...(parents === "" ? await readShallow(git, folder, hash) : []),
      ...patch.notices,
    ],
  };
}

/** Returns a notice for a commit without parents if a shallow clone left its parents out. */
async function readShallow(
  git: Git,
  folder: string,
  hash: string,
): Promise<string[]> {
  const { stdout } = await git(folder, "cat-file", ["commit", hash], {
    maxOutputBytes: MAX_MESSAGE_BYTES,
  });
  return /^tree \w+\nparent /.test(stdout)
    ? [
        "This clone is shallow and ends here, so all files of the commit are told as added.",
      ]
    : [];
}

/** Lists the files of a commit; without counts of lines and renames, which need their contents, if these are not there. */
async function listFiles(
  show: (args: string[], options: GitOptions) => Promise<GitResult>,
): Promise<{ files: CommitFile[]; truncated: boolean }> {
  const options = {
    maxOutputBytes: MAX_LISTED_BYTES,
    encoding: "latin1",
  } as const;
  const always = ["--format=", "--raw", "-z", "--relative"];
  let result = await show([...always, "--numstat", "-M"], options);
  if (!isRead(result))
    result = await show([...always, "--no-renames"], options);
  if (!isRead(result)) return { files: [], truncated: true };
  return {
    files: parseFiles(splitFields(result)),
    truncated: result.truncated,
  };
}

const KINDS: Readonly<Record<string, CommitFile["kind"]>> = {
  A: "added",
  C: "added",
  D: "deleted",
  R: "renamed",
  T: "type-changed",
};

/** Reads what `--raw --numstat -z` prints, with a character for each byte: of all files how they changed, then of all how many lines. */
export function parseFiles(fields: readonly string[]): CommitFile[] {
  const files = new Map<string, CommitFile>();
  for (let at = 0; at < fields.length;) {
    const field = fields[at++] ?? "";
    const letter = /^\n?:.* ([A-Z])\d*$/s.exec(field)?.[1];
    const counts = /^\n?(\d+|-)\t(\d+|-)\t(.*)$/s.exec(field);
    if (letter) {
      const isMoved = letter === "R" || letter === "C";
      const from = isMoved ? toPathText(fields[at++] ?? "") : null;
      const bytes = fields[at++] ?? "";
      const path = toPathText(bytes);
      const kind = KINDS[letter] ?? "modified";
      files.set(bytes, { path, from, kind, additions: null, deletions: null });
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
 * @throws PATH_NOT_FOUND, FILE_NOT_REGULAR, FILE_TOO_LARGE, FILE_NOT_TEXT, GIT_OBJECT_MISSING
 */
export async function readFileAt(
  git: Git,
  folder: string,
  hash: string,
  path: string,
): Promise<FileAtRevision> {
  const data = await readBytesAt(git, folder, hash, path, MAX_TEXT_BYTES);
  const text = decodeText(data);
  if (text === undefined) throw errors.FILE_NOT_TEXT({ path: showPath(path) });
  return { hash, path, text, bytes: data.length };
}

/**
 * Reads the bytes of a file as a commit has it.
 *
 * @param maxBytes A whole number of MiB.
 * @throws PATH_NOT_FOUND, FILE_NOT_REGULAR, FILE_TOO_LARGE, GIT_OBJECT_MISSING
 */
export async function readBytesAt(
  git: Git,
  folder: string,
  hash: string,
  path: string,
  maxBytes: number,
): Promise<Buffer> {
  const values = { path: showPath(path) };
  const listed = await readGit(git, folder, "ls-tree", ["-z", hash], {
    paths: [parseGitPath(path)],
    encoding: "latin1",
  });
  const entry = splitFields(listed)[0] ?? "";
  const [, mode, kind, object = ""] =
    /^(\d+) (\w+) ([0-9a-f]+)\t/.exec(entry) ?? [];
  if (!mode) throw errors.PATH_NOT_FOUND(values);
  if (kind !== "blob" || mode === "120000")
    throw errors.FILE_NOT_REGULAR(values);
  const { stdout, truncated } = await readGit(
    git,
    folder,
    "cat-file",
    ["blob", object],
    { maxOutputBytes: maxBytes, encoding: "latin1" },
  );
  if (truncated)
    throw errors.FILE_TOO_LARGE({
      ...values,
      limit: `${maxBytes / 1024 / 1024} MiB`,
    });
  return Buffer.from(stdout, "latin1");
}
