import { createHash } from "node:crypto";
import type { Git, GitPrograms } from "@gantry/git-kit";
import {
  createIdentifier,
  type Collection,
  type PluginContext,
} from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { TrustRecord } from "../records/trust-record.ts";

/** What git would run in a repository, and whether the user lets it. */
export interface ProgramsState extends GitPrograms {
  trusted: boolean;
}

const NONE: ProgramsState = {
  items: [],
  filters: [],
  mark: "",
  trusted: false,
};

/** The repositories in which the user lets git run hooks, filters and signatures. Kept apart from them, as they could forge it. */
export class GitTrust {
  readonly #git: Git;
  readonly #records: Collection<TrustRecord>;
  readonly #audit: PluginContext["audit"];

  constructor(
    git: Git,
    records: Collection<TrustRecord>,
    audit: PluginContext["audit"],
  ) {
    this.#git = git;
    this.#records = records;
    this.#audit = audit;
  }

  /** What git would run in the repository of a folder. Trust is void as soon as that is something else. */
  async read(folder: string): Promise<ProgramsState> {
    const programs = await this.#git.programs(folder);
    if (!programs) return NONE;
    const found = await this.#find(folder, programs.mark);
    return { ...programs, trusted: found !== undefined };
  }

  /** @throws GIT_PROGRAMS_CHANGED if git would run something else than what the user was shown */
  async set(folder: string, mark: string, trusted: boolean): Promise<void> {
    const programs = await this.#git.programs(folder);
    if (programs?.mark !== mark) throw errors.GIT_PROGRAMS_CHANGED();
    const found = await this.#find(folder, mark);
    if (trusted === (found !== undefined)) return;
    const path = (await this.#git.common(folder)) ?? folder;
    if (found) await this.#records.remove(found.id);
    else
      await this.#records.insert({
        id: createIdentifier("tru"),
        key: keyOf(path, mark),
        path,
        remote: null,
        digest: mark,
        repositoryKey: null,
        files: [],
      });
    await this.#audit(
      trusted ? "agents.git-programs-allowed" : "agents.git-programs-stopped",
      { path, programs: programs.items.join(", ") },
    );
  }

  async #find(folder: string, mark: string): Promise<TrustRecord | undefined> {
    const path = await this.#git.common(folder);
    if (path === undefined) return undefined;
    const { items } = await this.#records.list({
      ...{ index: "key", prefix: [keyOf(path, mark)], limit: 1 },
    });
    return items[0];
  }
}

/** Of all working trees of a repository. */
function keyOf(common: string, mark: string): string {
  return createHash("sha256")
    .update(JSON.stringify(["git programs", common, mark]))
    .digest("hex");
}
