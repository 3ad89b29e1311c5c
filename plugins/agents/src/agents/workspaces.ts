import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { basename, isAbsolute } from "node:path";
import { createIdentifier, type Collection } from "@gantry/plugin";
import { WorkspaceAdded } from "../contract.ts";
import { errors } from "../errors.ts";
import { Lanes } from "../live/lanes.ts";
import { isFolder } from "../live/session-opener.ts";
import type { WorkspaceRecord } from "../records/workspace-record.ts";

/** The folders that agents are made in. */
export class Workspaces {
  readonly #records: Collection<WorkspaceRecord>;
  /** Two that add the same folder at once must find each other's. */
  readonly #lanes = new Lanes();

  constructor(records: Collection<WorkspaceRecord>) {
    this.#records = records;
  }

  /**
   * Adds a folder, or gives the workspace that it is already.
   *
   * @throws AGENT_FOLDER_INVALID
   */
  async add(path: string, name?: string): Promise<WorkspaceRecord> {
    const real = await resolveFolder(path, "path");
    const key = createHash("sha256").update(real).digest("hex");
    return await this.#lanes.run(key, async () => {
      const { items } = await this.#records.list({
        index: "path",
        prefix: [key],
        limit: 1,
      });
      const known = items[0];
      if (known) return known;
      const workspace = {
        id: createIdentifier("wsp"),
        key,
        path: real,
        name: name ?? (basename(real) || real),
      };
      return await this.#records.insert(workspace, {
        events: [
          WorkspaceAdded.of(workspace.id, {
            name: workspace.name,
            path: workspace.path,
          }),
        ],
      });
    });
  }
}

/**
 * An existing folder with every link followed.
 *
 * @param field The field of the request that names it.
 * @throws AGENT_FOLDER_INVALID
 */
export async function resolveFolder(
  path: string,
  field: string,
): Promise<string> {
  if (!isAbsolute(path) || path.includes("\0") || !(await isFolder(path))) {
    const message = "must be the absolute path of an existing folder";
    const extras = { errors: [{ path: field, message }] };
    throw errors.AGENT_FOLDER_INVALID({ path }, extras);
  }
  return await realpath(path);
}
