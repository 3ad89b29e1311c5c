import * as z from "zod";

/** A tab of a running browser. */
export const tab = z.object({
  /** Chromium's id of the target. */
  id: z.string(),
  url: z.string(),
  title: z.string(),
  /** The agent in whose profile it is; `null` in the user's. */
  ownerAgentId: z.string().nullable(),
  /** Why it does not show its page, and what to do, as text for the user; `null` if it does. */
  problem: z.string().nullable(),
});
export type Tab = z.infer<typeof tab>;
