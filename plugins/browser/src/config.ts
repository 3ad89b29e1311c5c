import * as z from "zod";

/** The plugin's section of the configuration. */
export const browserConfig = z.strictObject({
  /** The browser to run: an absolute path, or a name on PATH. Defaults to the first Chromium that is found. */
  command: z.string().min(1).max(4096).optional(),
  /**
   * `off` runs pages without the browser's sandbox: a page that breaks out of the browser then has the rights of the daemon.
   * Only for containers that offer no sandbox.
   */
  sandbox: z.enum(["on", "off"]).default("on"),
  /** Absolute path of the folder for finished downloads. Defaults to `Downloads` in the user's home. */
  downloads: z.string().startsWith("/").max(4096).optional(),
});

export type BrowserConfig = z.infer<typeof browserConfig>;
