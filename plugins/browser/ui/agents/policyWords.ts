import type { Tier } from "../wire.ts";

/** The tiers as they are offered. */
export const tierItems: { value: Tier; label: string; description: string }[] =
  [
    { value: "none", label: "Nothing", description: "Use no browser." },
    { value: "read", label: "Read", description: "See pages, change nothing." },
    { value: "act", label: "Act", description: "Open pages, click and type." },
    { value: "full", label: "Full", description: "Also run scripts in pages." },
  ];
