import type { Question } from "../wire.ts";

const TIERS = {
  read: "see pages in the browser",
  act: "open pages, click and type in the browser",
  full: "run scripts in pages and read their traffic",
} as const;

/** What an agent requests, as the rest of a sentence that starts with its name. */
export function toQuestionWords({ kind, site, tier }: Question): string {
  if (kind === "tier" && tier) return `wants to ${TIERS[tier]}`;
  return `wants to open ${site ?? "a page"}`;
}
