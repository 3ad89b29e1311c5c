import { createHash } from "node:crypto";
import { basename } from "node:path";
import {
  createIdentifier,
  type Collection,
  type PathGuard,
} from "@gantry/plugin";
import { WorkspaceAdded } from "../contract.ts";
import { checkFolder } from "../folder/usable-folder.ts";
import { Lanes } from "../live/lanes.ts";
import type { WorkspaceRecord } from "../records/workspace-record.ts";

/** The folders that agents are made in. */
export class Workspaces {
  readonly #records: Collection<WorkspaceRecord>;
  readonly #guard: PathGuard;
  /** Two that add the same folder at once must find each other's. */
  readonly #lanes = new Lanes();

  constructor(records: Collection<WorkspaceRecord>, guard: PathGuard) {
    this.#records = records;
    this.#guard = guard;
  }

  /**
   * Adds a folder, or gives the workspace that it is already.
   *
   * @throws AGENT_FOLDER_INVALID, FOLDER_SILENT
   */
  async add(path: string, name?: string): Promise<WorkspaceRecord> {
    const real = await checkFolder(this.#guard, path, "path");
    const key = keyOf(real);
    return await this.#lanes.run(key, async () => {
      const known = await this.find(real);
      if (known) return known;
      const workspace = {
        id: createIdentifier("wsp"),
        key,
        path: real,
        name: name ?? (basename(real) || real),
        setup: null,
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

  /** @param real Absolute, with every link followed. */
  async find(real: string): Promise<WorkspaceRecord | undefined> {
    const { items } = await this.#records.list({
      ...{ index: "path", prefix: [keyOf(real)], limit: 1 },
    });
    return items[0];
  }

  /** Keeps what prepares new working trees of a folder. */
  async keepSetup(id: string, setup: string | null): Promise<void> {
    await this.#records.update(id, (current) =>
      current.setup === setup ? undefined : { record: { ...current, setup } },
    );
  }
}

function keyOf(path: string): string {
  return createHash("sha256").update(path).digest("hex");
}
