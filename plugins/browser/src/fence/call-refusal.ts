import type { Tier } from "./policy.ts";

/** Why a call is refused. */
export interface CallRefusal {
  reason: string;
  /** What the user could change to allow it: the list of sites, the tier, or nothing. */
  cause: "site" | "tier" | "never";
  /** The address that is not allowed. */
  url?: string;
  /** The tier that includes the call. */
  tier?: Tier;
}
