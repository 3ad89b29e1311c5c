import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { errors } from "../errors.ts";

/** Names below the plugin's folder that are reserved for the plugin. */
const OWN_FOLDERS: ReadonlySet<string> = new Set([
  "attachments",
  "empty",
  "exports",
  "locks",
  "own",
  "sessions",
  "transcripts",
]);

/** Folders below the plugin's, for drivers that store the conversations of their CLIs there. */
export class CliFolders {
  readonly #folder: string;

  /** @param folder The plugin's folder. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The folder of a CLI, created if it is missing. @throws AGENT_CLI_TAKEN if the name is reserved or malformed */
  async of(cli: string): Promise<string> {
    if (OWN_FOLDERS.has(cli) || !/^[a-z][a-z0-9-]{0,39}$/.test(cli))
      throw errors.AGENT_CLI_TAKEN({ cli });
    const folder = join(this.#folder, cli);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }
}
