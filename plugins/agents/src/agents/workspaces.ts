import { createHash } from "node:crypto";
import { basename } from "node:path";
import { createIdentifier, type Collection } from "@gantry/plugin";
import { WorkspaceAdded } from "../contract.ts";
import { checkFolder } from "../folder/usable-folder.ts";
import { KeyedMutex } from "../live/keyed-mutex.ts";
import type { WorkspaceRecord } from "../records/workspace-record.ts";

/** Project folders in which agents were created. */
export class Workspaces {
  readonly #records: Collection<WorkspaceRecord>;
  /** Serializes adds of the same folder, so that concurrent ones do not create two workspaces. */
  readonly #mutex = new KeyedMutex();

  constructor(records: Collection<WorkspaceRecord>) {
    this.#records = records;
  }

  /**
   * Adds a folder as a workspace, or returns its existing workspace.
   *
   * @throws AGENT_FOLDER_INVALID
   */
  async add(path: string, name?: string): Promise<WorkspaceRecord> {
    const real = await checkFolder(path, "path");
    const key = createHash("sha256").update(real).digest("hex");
    return await this.#mutex.run(key, async () => {
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
