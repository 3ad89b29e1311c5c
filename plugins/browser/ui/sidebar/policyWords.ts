import type { Tier } from "../../src/fence/policy.ts";

/** Labels and descriptions of the tiers. */
export const TIER_WORDS: Record<Tier, { label: string; words: string }> = {
  none: { label: "Nothing", words: "It has no tools for the browser." },
  read: { label: "Read", words: "See its own tabs, but change nothing." },
  act: {
    label: "Act",
    words: "Open pages, click and type, in its own tabs.",
  },
  full: {
    label: "Full",
    words: "Also run scripts in pages and read their traffic.",
  },
};
