import * as z from "zod";

const GIB = 1024 ** 3;
const byteLimit = z.int().min(0);

/** The plugin's section of the configuration. */
export const browserConfig = z.strictObject({
  /** The browser to run: an absolute path, or a name on PATH. Defaults to the first Chromium that is found. */
  command: z.string().min(1).max(4096).optional(),
  /**
   * `off` runs pages without Chromium's sandbox: a page that breaks out of it then has the rights of the daemon. Only for
   * containers that offer no sandbox.
   */
  sandbox: z.enum(["on", "off"]).default("on"),
  /** Sizes in bytes. */
  downloads: z
    .strictObject({
      /** Largest file of the user's browser. */
      maxBytes: byteLimit.default(4 * GIB),
      /** Largest file of an agent's. */
      agentMaxBytes: byteLimit.default(100_000_000),
      /** Room that downloads leave on the disk; on a small one 5 % of it, if that is less. */
      minFreeBytes: byteLimit.default(GIB),
    })
    .prefault({}),
});

export type BrowserConfig = z.infer<typeof browserConfig>;
