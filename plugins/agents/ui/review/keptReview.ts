import { keepText, readKept } from "../agents/keptText.ts";
import { countCodes } from "./digestLines.ts";
import type { ReviewComment } from "./reviewComment.ts";

/** What a browser keeps of the review of an agent's changes. */
export interface KeptReview {
  comments: readonly ReviewComment[];
  /** By the id of a comment, what was written and not added yet. */
  drafts: ReadonlyMap<string, string>;
  /** By the path of a file, the digest of its changes when the user had viewed them. */
  viewed: ReadonlyMap<string, string>;
}

/** Files whose marks are kept; those that were viewed last stay. */
const MAX_VIEWED = 1_000;

/** Lines whose codes are kept of an agent's files, about 100 kB. */
const MAX_SEEN_LINES = 20_000;

const keyOf = (agentId: string) => `gantry-agents-review-${agentId}`;
const seenKeyOf = (agentId: string) => `gantry-agents-seen-${agentId}`;

/** Reads it as it was kept; what is wrong in it is left out. */
export function readReview(agentId: string): KeptReview {
  let kept: { comments?: unknown; drafts?: unknown; viewed?: unknown };
  try {
    kept = Object(JSON.parse(readKept(keyOf(agentId)) ?? "{}"));
  } catch {
    kept = {};
  }
  const comments = Array.isArray(kept.comments) ? kept.comments : [];
  const drafts = toMarks(kept.drafts);
  return {
    comments: comments
      .filter(isComment)
      // One that was begun, and in which nothing was written.
      .filter(({ id, text }) => text !== "" || drafts.has(id)),
    drafts,
    viewed: toMarks(kept.viewed),
  };
}

/** Keeps it, or forgets it where there is nothing in it. */
export function keepReview(
  agentId: string,
  { comments, drafts, viewed }: KeptReview,
): void {
  const isEmpty = comments.length === 0 && viewed.size === 0;
  keepText(
    keyOf(agentId),
    isEmpty
      ? undefined
      : JSON.stringify({
          comments,
          drafts: [...drafts],
          viewed: [...viewed].slice(-MAX_VIEWED),
        }),
  );
}

/** The codes of the lines that the user has seen, by the path of the file. */
export function readSeen(agentId: string): ReadonlyMap<string, string> {
  try {
    return toMarks(JSON.parse(readKept(seenKeyOf(agentId)) ?? "[]"));
  } catch {
    return new Map();
  }
}

/**
 * Keeps them apart from the comments, which are then safe where there is no room for both. Of files that were viewed long ago
 * they are dropped. Returns what is kept.
 */
export function keepSeen(
  agentId: string,
  seen: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const kept: [string, string][] = [];
  let room = MAX_SEEN_LINES;
  for (const [path, codes] of [...seen].reverse()) {
    if (countCodes(codes) > room) continue;
    room -= countCodes(codes);
    kept.unshift([path, codes]);
  }
  keepText(
    seenKeyOf(agentId),
    kept.length === 0 ? undefined : JSON.stringify(kept),
  );
  return new Map(kept);
}

/** Forgets the review of an agent that is gone. */
export function forgetReview(agentId: string): void {
  keepText(keyOf(agentId), undefined);
  keepText(seenKeyOf(agentId), undefined);
}

function isComment(value: unknown): value is ReviewComment {
  const comment = Object(value) as Record<string, unknown>;
  return (
    ["id", "path", "excerpt", "text"].every(
      (name) => typeof comment[name] === "string",
    ) &&
    typeof comment["line"] === "number" &&
    ["string", "undefined"].includes(typeof comment["quote"]) &&
    (comment["side"] === "before" || comment["side"] === "after")
  );
}

function toMarks(value: unknown): ReadonlyMap<string, string> {
  return new Map(Array.isArray(value) ? value.filter(isMark) : []);
}

function isMark(value: unknown): value is [string, string] {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    value.every((part) => typeof part === "string")
  );
}
