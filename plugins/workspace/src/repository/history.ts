import type { Git } from "@gantry/plugin";
import { errors } from "../errors.ts";
import {
  decodePlace,
  encodePlace,
  type HistoryPlace,
} from "./history-cursor.ts";
import { placeCommit, type GraphRow } from "./lanes.ts";
import { orderCommits } from "./order-commits.ts";
import { readGit, splitFields } from "./read-git.ts";

/** Lengths at which git cuts the texts of a commit, so that no commit fills the page. */
const MAX_LENGTHS = { subject: 300, author: 100 };
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
const FIELDS = 5;
/** Commits that are read beyond the page, since one of them may belong before one of the page. */
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
    return { items: [], nextCursor: null, truncated: false };
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
  // The commits of the cursor do not exist any more, or never did.
  if (result.code !== 0 && !result.truncated) throw errors.GIT_CURSOR_INVALID();

  const read = parseCommits(splitFields(result));
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
  return { items, nextCursor: cursor, truncated };
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

/** Converts a time of git in seconds. A commit may have any text there; 1970 for what is no time. */
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
  /** The commit that it points to. */
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
  const { stdout } = await readGit(git, folder, "for-each-ref", [
    "--sort=-creatordate",
    `--count=${MAX_REFS + 1}`,
    `--format=${parts.map((part) => `%(${part})`).join("%00")}`,
    ...KINDS.map(([start]) => start),
  ]);
  const lines = stdout.split("\n").filter(Boolean);
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
