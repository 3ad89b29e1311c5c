import * as z from "zod";

/** The installed browser, and which browsers are running. */
export const browserStatus = z.object({
  found: z.boolean(),
  /** Absolute path of the browser. */
  command: z.string().nullable(),
  /** Known once the browser has run. */
  version: z.string().nullable(),
  sandbox: z.enum(["on", "off"]),
  running: z.array(
    z.object({
      /** `user`, or the id of the agent. */
      profileId: z.string(),
      /** Memory of all its processes; `null` where the system does not say. */
      memoryBytes: z.number().int().nullable(),
      tabs: z.number().int(),
      since: z.string(),
    }),
  ),
  /** How to install a browser, where none is found. */
  hint: z.string().nullable(),
  /** Why the last start of a browser failed. */
  problem: z.string().nullable(),
});
export type BrowserStatus = z.infer<typeof browserStatus>;
