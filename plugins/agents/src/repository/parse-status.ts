import type { InnerRepository } from "./inner-repositories.ts";
import { toPathText, toUtf8 } from "./path-text.ts";

/** Changes that are told; there may be more. */
export const MAX_CHANGES = 5000;

export const CHANGE_KINDS = [
  "modified",
  "added",
  "deleted",
  "renamed",
  "type-changed",
  "untracked",
  "conflicted",
] as const;

/** A file that is not as the last commit has it. */
export interface FileChange {
  /** With octal numbers for bytes if it is not UTF-8. */
  path: string;
  /** Where it was before it was renamed. */
  from: string | null;
  kind: (typeof CHANGE_KINDS)[number];
  /** All of the change is to be in the next commit. */
  staged: boolean;
  /** A part of it is. */
  partlyStaged: boolean;
  /** Path of the submodule whose file it is; a commit of the repository around it does not take it up. */
  submodule: string | null;
  /** Lines that were added and removed; `null` where that is not known, as of bytes. */
  additions: number | null;
  deletions: number | null;
}

/** How a working tree is. Paths are relative to the agent's folder, and only what lies in it is told. */
export interface RepositoryStatus {
  /** Full hash of the commit that is checked out; `null` before the first one. */
  head: string | null;
  /** `null` if no branch is checked out. */
  branch: string | null;
  upstream: string | null;
  /** Commits that the upstream does not have, and those that only it has; `null` without one. */
  ahead: number | null;
  behind: number | null;
  items: FileChange[];
  truncated: boolean;
  /** Repositories of their own in the folder. Changes in submodules are among the items, those in others are not. */
  repositories: InnerRepository[];
  /** What was not looked at, and why. */
  notices: string[];
}

/** Reads what `git status --porcelain=v2 --branch -z` prints, with a character for each byte. */
export function parseStatus(
  fields: readonly string[],
  prefix: string,
  truncated: boolean,
): RepositoryStatus {
  const status: RepositoryStatus = {
    head: null,
    branch: null,
    upstream: null,
    ahead: null,
    behind: null,
    items: [],
    truncated,
    repositories: [],
    notices: [],
  };
  const start = Buffer.from(prefix).toString("latin1");
  const toText = (path: string) =>
    toPathText(path.startsWith(start) ? path.slice(start.length) : path);
  for (let index = 0; index < fields.length; index++) {
    const line = fields[index] ?? "";
    if (line.startsWith("# ")) {
      readHeader(status, toUtf8(line.slice(2)));
      continue;
    }
    const from = line.startsWith("2 ") ? (fields[++index] ?? "") : null;
    const change = readChange(line, from);
    if (!change) continue;
    // With each file told, a folder alone is one that has a repository of its own.
    if (change.kind === "untracked" && change.path.endsWith("/")) {
      const path = toText(change.path.slice(0, -1));
      status.repositories.push({ path, kind: "nested" });
      continue;
    }
    if (status.items.length === MAX_CHANGES) {
      status.truncated = true;
      break;
    }
    status.items.push({
      ...change,
      path: toText(change.path),
      from: change.from === null ? null : toText(change.from),
      submodule: null,
      additions: null,
      deletions: null,
    });
  }
  return status;
}
function readHeader(status: RepositoryStatus, header: string): void {
  const space = header.indexOf(" ");
  const [name, value] = [header.slice(0, space), header.slice(space + 1)];
  if (name === "branch.oid" && value !== "(initial)") status.head = value;
  if (name === "branch.upstream") status.upstream = value;
  const [, ahead, behind] = /^\+(\d+) -(\d+)$/.exec(value) ?? [];
  if (name === "branch.ab" && ahead && behind)
    Object.assign(status, { ahead: Number(ahead), behind: Number(behind) });
}

const UNSTAGED = { staged: false, partlyStaged: false } as const;

/** Number of words before the path, by the kind of line. */
const WORDS: Readonly<Record<string, number>> = { 1: 8, 2: 9, u: 10, "?": 1 };

function readChange(
  line: string,
  from: string | null,
):
  | Pick<FileChange, "path" | "from" | "kind" | "staged" | "partlyStaged">
  | undefined {
  const words = WORDS[line[0] ?? ""];
  if (words === undefined) return undefined;
  let at = 0;
  for (let count = 0; count < words; count++) at = line.indexOf(" ", at) + 1;
  const path = line.slice(at);
  if (line.startsWith("?"))
    return { path, from: null, kind: "untracked", ...UNSTAGED };
  if (line.startsWith("u"))
    return { path, from: null, kind: "conflicted", ...UNSTAGED };
  const [index = ".", tree = "."] = line.slice(2, 4);
  const isRenamed = index === "R" || tree === "R";
  return {
    path,
    from: isRenamed ? from : null,
    kind: kindOf(tree === "." ? index : tree, index),
    staged: tree === ".",
    partlyStaged: index !== "." && tree !== ".",
  };
}

function kindOf(letter: string, index: string): FileChange["kind"] {
  if (index === "A" && letter !== "D") return "added";
  if (index === "R" && letter !== "D") return "renamed";
  const kinds: Readonly<Record<string, FileChange["kind"]>> = {
    A: "added",
    C: "added",
    D: "deleted",
    R: "renamed",
    T: "type-changed",
  };
  return kinds[letter] ?? "modified";
}
