import { createHash } from "node:crypto";
import type { Git } from "@gantry/git-kit";
import {
  createIdentifier,
  toVisibleText,
  type Collection,
  type PluginContext,
} from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { TrustRecord } from "../records/trust-record.ts";
import { joinFew, listChanges, toTrustedFiles } from "./config-changes.ts";
import { findFolderConfig, type FolderConfig } from "./folder-config.ts";

/** Earlier trust in a folder that is compared with what is there now. */
const MAX_COMPARED = 50;

/** The folders whose configuration the user lets CLIs run. Stored apart from the folders, which could forge it. */
export class FolderTrust {
  readonly #records: Collection<TrustRecord>;
  readonly #audit: PluginContext["audit"];
  readonly #git: Git;

  constructor(
    records: Collection<TrustRecord>,
    audit: PluginContext["audit"],
    git: Git,
  ) {
    this.#records = records;
    this.#audit = audit;
    this.#git = git;
  }

  /**
   * Looks for configuration that a CLI would run, with names of files that are safe to show.
   *
   * @returns `undefined` if there is none
   * @throws AGENT_CONFIG_TOO_LARGE
   */
  async find(
    cwd: string,
    trustPaths: readonly string[],
  ): Promise<FolderConfig | undefined> {
    const config = await findFolderConfig(cwd, trustPaths, this.#git);
    return config && { ...config, found: config.found.map(toVisibleText) };
  }

  /**
   * Checks a folder before a CLI starts in it.
   *
   * @returns whether it brings configuration that the user trusts; false if it brings none.
   * @throws AGENT_TRUST_REQUIRED if it brings configuration that the user does not trust, AGENT_CONFIG_TOO_LARGE
   */
  async check(
    agent: { id: string; cli: string; cwd: string },
    trustPaths: readonly string[],
  ): Promise<boolean> {
    const config = await this.find(agent.cwd, trustPaths);
    if (!config) return false;
    if (await this.#isTrusted(config)) return true;
    const changes = await this.#changesOf(config);
    const files = changes
      ? `changed since it was trusted: ${joinFew(changes)}`
      : config.found.slice(0, 5).join(", ");
    throw errors.AGENT_TRUST_REQUIRED({ cli: agent.cli, id: agent.id, files });
  }

  /**
   * Trusts what a folder brings right now.
   *
   * @throws AGENT_CONFIG_TOO_LARGE
   */
  async trust(
    cwd: string,
    trustPaths: readonly string[],
  ): Promise<{ trusted: boolean; already: boolean }> {
    const config = await findFolderConfig(cwd, trustPaths, this.#git);
    // Nothing to trust is no less trusted.
    if (!config || (await this.#isTrusted(config)))
      return { trusted: true, already: true };
    const { path, remote, digest } = config;
    await this.#records.insert({
      id: createIdentifier("tru"),
      key: keyOf(config),
      path,
      remote,
      digest,
      ...toKept(config),
    });
    await this.#audit("agents.trust-given", { path, remote, digest });
    return { trusted: true, already: false };
  }

  /** Equal content is trusted in this folder, or in another working tree of its repository. */
  async #isTrusted(config: FolderConfig): Promise<boolean> {
    const own = await this.#records.list({
      ...{ index: "key", prefix: [keyOf(config)], limit: 1 },
    });
    const [record] = own.items;
    if (record) {
      await this.#complete(record, config);
      return true;
    }
    const key = repositoryKeyOf(config);
    if (key === null) return false;
    return (await this.#records.count("repository", [key], 1)) > 0;
  }

  /** Adds to a record of an earlier version what that did not store. Its digest is equal, so the content is. */
  async #complete(record: TrustRecord, config: FolderConfig): Promise<void> {
    if (record.files.length > 0) return;
    const kept = toKept(config);
    if (kept.files.length === 0) return;
    const add = (current: TrustRecord) => ({ record: { ...current, ...kept } });
    // The folder is trusted without it too, so a full disk keeps no CLI from starting.
    await this.#records.update(record.id, add).catch(() => undefined);
  }

  /** How the folder differs from what was trusted in it and is most like it; `undefined` if nothing like it was. */
  async #changesOf(config: FolderConfig): Promise<string[] | undefined> {
    const { items } = await this.#records.list({
      ...{ index: "path", prefix: [config.path], limit: MAX_COMPARED },
      filter: ({ remote }) => remote === config.remote,
    });
    const names = new Set(config.files.map(({ name }) => name));
    return items
      .filter(({ files }) => files.some(({ name }) => names.has(name)))
      .map(({ files }) => listChanges(files, config.files))
      .filter((changes) => changes.length > 0)
      .sort((left, right) => left.length - right.length)[0];
  }
}

function toKept(
  config: FolderConfig,
): Pick<TrustRecord, "repositoryKey" | "files"> {
  return {
    repositoryKey: repositoryKeyOf(config),
    files: toTrustedFiles(config.files),
  };
}

function keyOf({ path, remote, digest }: FolderConfig): string {
  return hash([path, remote, digest]);
}

function repositoryKeyOf(config: FolderConfig): string | null {
  const { repository, remote, sharedDigest } = config;
  if (repository === null) return null;
  // Commands in the configuration are often relative to the folder, so another place in the tree is another trust.
  const { common, position } = repository;
  return hash([common, position, remote, sharedDigest]);
}

function hash(values: readonly (string | null)[]): string {
  return createHash("sha256").update(JSON.stringify(values)).digest("hex");
}
