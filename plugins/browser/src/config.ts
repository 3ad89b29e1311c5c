import * as z from "zod";

/** The plugin's section of the configuration. */
export const browserConfig = z.strictObject({
  /** The browser to run: an absolute path, or a name on PATH. Defaults to the first Chromium that is found. */
  command: z.string().min(1).max(4096).optional(),
  /**
   * `off` runs pages without Chromium's sandbox: a page that breaks out of it then has the rights of the daemon. Only for
   * containers that offer no sandbox.
   */
  sandbox: z.enum(["on", "off"]).default("on"),
});

export type BrowserConfig = z.infer<typeof browserConfig>;
