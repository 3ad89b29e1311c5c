import type { Git } from "@gantry/git-kit";
import { errors } from "../errors.ts";
import {
  decodePlace,
  encodePlace,
  type HistoryPlace,
} from "./history-cursor.ts";
import { placeCommit, type GraphRow } from "./lanes.ts";
import { orderCommits } from "./order-commits.ts";
import { isRead, splitFields, toGitError, toNotices } from "./read-git.ts";

/** Longest of what is shown of a commit in one line; git itself cuts there, so that no commit fills the page. */
const MAX_LENGTHS = { subject: 300, author: 100 };
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
const FIELDS = 5;
/** So many more are read than are told, to see whether one of them belongs before one that is told. */
const SLACK = 50;

/** A commit in the graph. */
export interface HistoryRow extends GraphRow {
  hash: string;
  parents: string[];
  author: string;
  at: string;
  subject: string;
}

/** A part of the history, newest first. */
export interface HistoryPage {
  items: HistoryRow[];
  nextCursor: string | null;
  /** Whether branches were left out because there are too many of them at once. */
  truncated: boolean;
  /** What could not be read, and why. */
  notices: string[];
}

/**
 * Reads one page of the history and draws it. The cursor is what the lanes wait for at its end, so the next page begins
 * there: neither git nor the drawing goes through what came before, however long the history is.
 *
 * Commits come in the order of their dates, but after their children. Where clocks were very wrong, one may come before a
 * child that is far away, and again on a later page.
 */
export async function readHistory(
  git: Git,
  folder: string,
  place: HistoryPlace,
  limit: number,
): Promise<HistoryPage> {
  const { lanes } = place;
  const starts = new Set([
    ...lanes.filter((hash) => hash !== undefined),
    ...place.pending,
  ]);
  if (starts.size === 0)
    return { items: [], nextCursor: null, truncated: false, notices: [] };
  const format = [
    "%H",
    "%P",
    `%<(${MAX_LENGTHS.author},trunc)%an`,
    "%at",
    `%<(${MAX_LENGTHS.subject},trunc)%s`,
  ];
  const result = await git(
    folder,
    "log",
    [
      "-z",
      "-n",
      String(limit + SLACK),
      `--format=${format.join("%x00")}`,
      ...starts,
    ],
    { maxOutputBytes: MAX_OUTPUT_BYTES },
  );
  const read = parseCommits(splitFields(result));
  // The commits that the cursor names are missing, even if it was not made here. What git read before it failed is returned.
  if (!isRead(result) && read.length === 0) throw errors.GIT_CURSOR_INVALID();
  const shown = new Set<string>();
  const items = orderCommits(read)
    .slice(0, limit)
    .map((commit): HistoryRow => {
      const drawn = placeCommit(lanes, commit, (hash) => shown.has(hash));
      shown.add(commit.hash);
      return { ...commit, ...drawn };
    });
  const pending = place.pending.filter(
    (hash) => !shown.has(hash) && !lanes.includes(hash),
  );
  const { cursor, truncated } = encodePlace({ lanes, pending });
  const notices = toNotices(result.stderr);
  return isRead(result)
    ? { items, nextCursor: cursor, truncated, notices }
    : { items, nextCursor: null, truncated: true, notices };
}

type Commit = Omit<HistoryRow, keyof GraphRow>;

function parseCommits(fields: readonly string[]): Commit[] {
  const commits: Commit[] = [];
  for (let at = 0; at + FIELDS <= fields.length; at += FIELDS) {
    const [hash = "", parents = "", author = "", time = "", subject = ""] =
      fields.slice(at, at + FIELDS);
    commits.push({
      hash,
      parents: parents.split(" ").filter(Boolean),
      author: author.trim(),
      at: toTimestamp(time),
      subject: subject.trim(),
    });
  }
  return commits;
}

/** Where a page begins. @throws GIT_CURSOR_INVALID */
export function placeOf(cursor: string): HistoryPlace {
  const place = decodePlace(cursor);
  if (!place) throw errors.GIT_CURSOR_INVALID();
  return place;
}

/** A time in seconds as git has it, which may be any text, since commits can be written by hand. */
export function toTimestamp(seconds: string): string {
  const date = new Date(Number(seconds) * 1000);
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999
    ? new Date(0).toISOString()
    : date.toISOString();
}

/** A branch or tag. */
export interface RepositoryRef {
  /** Without `refs/heads/` and the like. */
  name: string;
  kind: "branch" | "remote" | "tag";
  /** The commit that it stands for. */
  hash: string;
}

const MAX_REFS = 200;
/** Branches whose commits are in the graph; older ones are not drawn unless their commits are in others. */
const MAX_TIPS = 100;

const KINDS = [
  ["refs/heads/", "branch"],
  ["refs/remotes/", "remote"],
  ["refs/tags/", "tag"],
] as const;

/** The branches and tags that moved last. */
export async function readRefs(
  git: Git,
  folder: string,
): Promise<{ items: RepositoryRef[]; truncated: boolean }> {
  const parts = [
    "refname",
    "objectname",
    "objecttype",
    "*objectname",
    "*objecttype",
  ];
  const list = (fields: readonly string[]) =>
    git(folder, "for-each-ref", [
      `--format=${fields.map((part) => `%(${part})`).join("%00")}`,
      ...(fields === parts ? ["--sort=-creatordate"] : []),
      `--count=${MAX_REFS + 1}`,
      ...KINDS.map(([start]) => start),
    ]);
  let result = await list(parts);
  // One branch whose commit is not there makes git fail for all.
  if (!isRead(result)) {
    const plain = await list(parts.slice(0, 2));
    if (!isRead(plain)) throw toGitError("for-each-ref", plain);
    const stdout = await addCommits(git, folder, plain.stdout);
    result = { ...plain, stdout };
  }
  const lines = result.stdout.split("\n").filter(Boolean);
  const items = lines.slice(0, MAX_REFS).flatMap((line) => {
    const [name = "", hash = "", type, peeled = "", peeledType] =
      line.split("\0");
    const [start, kind] = KINDS.find(([begin]) => name.startsWith(begin)) ?? [];
    const commit =
      type === "commit" ? hash : peeledType === "commit" ? peeled : "";
    // The default branch of a remote is listed by its own name.
    if (!kind || commit === "" || /^refs\/remotes\/[^/]+\/HEAD$/.test(name))
      return [];
    return { name: name.slice(start.length), kind, hash: commit };
  });
  return { items, truncated: lines.length > MAX_REFS };
}

/** Adds to lines of a reference and a hash the commit that it stands for, if that is there. */
async function addCommits(
  git: Git,
  folder: string,
  listed: string,
): Promise<string> {
  const lines = listed.split("\n").filter(Boolean);
  const { stdout } = await git(folder, "cat-file", ["--batch-check"], {
    input: lines.map((line) => `${line.split("\0")[1]}^{commit}\n`).join(""),
  });
  const commits = stdout.split("\n").map((line) => line.split(" "));
  return lines
    .map((line, index) => {
      const [hash = "", type = ""] = commits[index] ?? [];
      return type === "commit" ? `${line}\0tag\0${hash}\0commit` : line;
    })
    .join("\n");
}

/** Where the graph begins: at what is checked out, and at the branches and tags that moved last. */
export function startOf(
  head: string | undefined,
  refs: readonly RepositoryRef[],
): HistoryPlace {
  const tips = new Set([
    ...(head ? [head] : []),
    ...refs.map(({ hash }) => hash),
  ]);
  return { lanes: [], pending: [...tips].slice(0, MAX_TIPS) };
}
