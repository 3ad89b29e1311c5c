import type { Question } from "../wire.ts";

const TIERS = {
  read: "see pages in the browser",
  act: "open pages, click and type in the browser",
  full: "run scripts in pages and read their traffic",
} as const;

/** What an agent asks for, as the rest of a sentence that begins with its name. */
export function toQuestionWords({ kind, site, tier }: Question): string {
  return kind === "tier" && tier
    ? `wants to ${TIERS[tier]}`
    : `wants to open ${site ?? "a page"}`;
}
