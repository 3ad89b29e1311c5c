import * as z from "zod";

/** The plugin's section of the configuration. */
export const terminalsConfig = z.strictObject({
  /** The shell of a new terminal: an absolute path, or a name on PATH. The user's own unless said. */
  shell: z.string().min(1).max(4096).optional(),
  /** Lines above the screen that are kept. */
  scrollback: z.number().int().min(0).max(50_000).default(2_000),
  /** Terminals that there may be at once, those whose program has ended included. */
  mostTerminals: z.number().int().min(1).max(500).default(50),
});

export type TerminalsConfig = z.infer<typeof terminalsConfig>;
