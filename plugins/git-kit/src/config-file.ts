import { join } from "node:path";
import { parseConfig, type ConfigEntry } from "./config-text.ts";
import { isOn } from "./kept-settings.ts";
import { readPlainFile } from "./read-plain-file.ts";

const MAX_CONFIG_BYTES = 1024 * 1024;
const REASONS: Readonly<Record<string, string>> = {
  EFBIG: "it is larger than 1 MiB",
  EINVAL: "it is no plain file",
  ELOOP: "it is a link",
};

/** The entries of a configuration, or the reason why it cannot be read. */
export type ReadConfig =
  | { entries: ConfigEntry[]; fault?: undefined }
  | { entries?: undefined; fault: string };

/**
 * Reads a configuration file; a missing one is empty, as for git. Each byte becomes one Latin-1 character, because values
 * may be in any encoding.
 */
async function readConfigFile(file: string): Promise<ReadConfig> {
  try {
    const bytes = await readPlainFile(file, MAX_CONFIG_BYTES);
    const parsed = parseConfig(bytes.toString("latin1"));
    return typeof parsed === "number"
      ? { fault: `bad config line ${parsed} in file ${file}` }
      : { entries: parsed };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { entries: [] };
    return { fault: `${file} is not read: ${REASONS[code] ?? code}` };
  }
}

/** Reads the shared configuration of a repository, followed by that of its working tree if `worktreeConfig` is set. */
export async function readRepositoryConfig({
  folder,
  common,
}: {
  folder: string;
  common: string;
}): Promise<ReadConfig> {
  const shared = await readConfigFile(join(common, "config"));
  if (!shared.entries || !isOn(shared.entries, "extensions", "worktreeconfig"))
    return shared;
  const own = await readConfigFile(join(folder, "config.worktree"));
  return own.entries ? { entries: [...shared.entries, ...own.entries] } : own;
}
