import type { OpenLanes } from "./lanes.ts";

/** Where a history is continued. */
export interface HistoryPlace {
  /** What the open lanes wait for. */
  lanes: OpenLanes;
  /** Where branches begin that were not reached yet. */
  pending: string[];
}

/** It goes into an address, which has at most 8 KiB. */
const MAX_CURSOR_LENGTH = 6000;
/** Bytes of SHA-1 or SHA-256, or nothing. */
const PART = /^([\w-]{27}|[\w-]{43})?$/;
const LENGTHS = new Set([40, 64]);

/** Writes a place down; `null` for the end. What does not fit any more is left out, which is told. */
export function encodePlace({ lanes, pending }: HistoryPlace): {
  cursor: string | null;
  truncated: boolean;
} {
  const open = lanes.map(toText);
  const rest = pending.map(toText);
  let length = [...open, ...rest].join(".").length + 1;
  let truncated = false;
  while (length > MAX_CURSOR_LENGTH) {
    // Branches that begin further down first, then the lanes at the right edge.
    length -= ((rest.length > 0 ? rest : open).pop() ?? "").length + 1;
    truncated = true;
  }
  const isEnd = rest.length === 0 && open.every((part) => part === "");
  return {
    cursor: isEnd ? null : `${open.join(".")}~${rest.join(".")}`,
    truncated,
  };
}

/** Reads it again; `undefined` for what is no such place. */
export function decodePlace(cursor: string): HistoryPlace | undefined {
  const [open, rest, ...more] = cursor.split("~");
  if (open === undefined || rest === undefined || more.length > 0)
    return undefined;
  if (cursor.length > MAX_CURSOR_LENGTH + 1) return undefined;
  const lanes = open === "" ? [] : open.split(".");
  const pending = rest === "" ? [] : rest.split(".");
  if (![...lanes, ...pending].every((part) => PART.test(part)))
    return undefined;
  // Only a lane may be free, and there is something to wait for.
  if (pending.includes("") || cursor.length < 2) return undefined;
  const hashes = [...lanes, ...pending].map(toHash);
  if (!hashes.every((hash) => hash === "" || LENGTHS.has(hash.length)))
    return undefined;
  return {
    lanes: hashes.slice(0, lanes.length).map((hash) => hash || undefined),
    pending: hashes.slice(lanes.length),
  };
}

function toText(hash: string | undefined): string {
  return Buffer.from(hash ?? "", "hex").toString("base64url");
}

function toHash(text: string): string {
  return Buffer.from(text, "base64url").toString("hex");
}
