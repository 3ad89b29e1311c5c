import * as z from "zod";
import { DEFAULT_WORK_FACTOR } from "./archive/scrypt-stanza.ts";

/** Settings of this plugin, under `settings.backup` in the configuration. */
export const backupConfig = z.strictObject({
  /**
   * Binary logarithm of the work that a try at the passphrase costs. With 18 it takes about a second and 256 MiB; each step up
   * doubles both.
   */
  passphraseWork: z.int().min(10).max(20).default(DEFAULT_WORK_FACTOR),
});
export type BackupConfig = z.infer<typeof backupConfig>;
