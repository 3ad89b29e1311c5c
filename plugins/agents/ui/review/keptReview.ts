import { keepText, readKept } from "../agents/keptText.ts";
import type { ReviewComment } from "./reviewComment.ts";

/** What a browser keeps of the review of an agent's changes. */
export interface KeptReview {
  comments: readonly ReviewComment[];
  /** By the path of a file, the digest of its changes when the user had viewed them. */
  viewed: ReadonlyMap<string, string>;
}

/** Files whose marks are kept; those that were viewed last stay. */
const MAX_VIEWED = 1_000;

const keyOf = (agentId: string) => `gantry-agents-review-${agentId}`;

/** Reads it as it was kept; what is wrong in it is left out. */
export function readReview(agentId: string): KeptReview {
  let kept: { comments?: unknown; viewed?: unknown };
  try {
    kept = Object(JSON.parse(readKept(keyOf(agentId)) ?? "{}"));
  } catch {
    kept = {};
  }
  const comments = Array.isArray(kept.comments) ? kept.comments : [];
  const viewed = Array.isArray(kept.viewed) ? kept.viewed : [];
  return {
    comments: comments.filter(isComment),
    viewed: new Map(viewed.filter(isMark)),
  };
}

/** Keeps it, or forgets it where there is nothing in it. */
export function keepReview(
  agentId: string,
  { comments, viewed }: KeptReview,
): void {
  const isEmpty = comments.length === 0 && viewed.size === 0;
  const marks = [...viewed].slice(-MAX_VIEWED);
  keepText(
    keyOf(agentId),
    isEmpty ? undefined : JSON.stringify({ comments, viewed: marks }),
  );
}

/** Forgets the review of an agent that is gone. */
export function forgetReview(agentId: string): void {
  keepText(keyOf(agentId), undefined);
}

function isComment(value: unknown): value is ReviewComment {
  const comment = Object(value) as Record<string, unknown>;
  return (
    ["id", "path", "excerpt", "text"].every(
      (name) => typeof comment[name] === "string",
    ) &&
    typeof comment["line"] === "number" &&
    (comment["side"] === "before" || comment["side"] === "after")
  );
}

function isMark(value: unknown): value is [string, string] {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    value.every((part) => typeof part === "string")
  );
}
