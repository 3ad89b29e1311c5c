import { createHash } from "node:crypto";
import {
  createIdentifier,
  toVisibleText,
  type Collection,
  type Git,
  type PluginContext,
} from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { TrustRecord } from "../records/trust-record.ts";
import { findFolderConfig, type FolderConfig } from "./folder-config.ts";

/** Stores which folders' configuration the user trusts. The store is outside the folders, so that they cannot forge it. */
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
   * Finds configuration that a CLI would run. Invisible characters in its file names are escaped for display.
   *
   * @returns `undefined` if there is none
   * @throws AGENT_CONFIG_TOO_LARGE
   */
  async find(
    cwd: string,
    trustPaths: readonly string[],
  ): Promise<FolderConfig | undefined> {
    const config = await findFolderConfig(cwd, trustPaths, this.#git);
    return config && { ...config, files: config.files.map(toVisibleText) };
  }

  /**
   * Checks a folder before a CLI starts in it.
   *
   * @returns whether it contains configuration that the user trusts; false if it contains none
   * @throws AGENT_TRUST_REQUIRED if it contains configuration that the user does not trust, AGENT_CONFIG_TOO_LARGE
   */
  async check(
    agent: { id: string; cli: string; cwd: string },
    trustPaths: readonly string[],
  ): Promise<boolean> {
    const config = await this.find(agent.cwd, trustPaths);
    if (!config) return false;
    if (await this.#isTrusted(config)) return true;
    const files = config.files.slice(0, 5).join(", ");
    throw errors.AGENT_TRUST_REQUIRED({ cli: agent.cli, id: agent.id, files });
  }

  /**
   * Trusts the current configuration of a folder.
   *
   * @throws AGENT_CONFIG_TOO_LARGE
   */
  async trust(
    cwd: string,
    trustPaths: readonly string[],
  ): Promise<{ trusted: boolean; already: boolean }> {
    const config = await findFolderConfig(cwd, trustPaths, this.#git);
    // A folder without configuration needs no trust.
    if (!config || (await this.#isTrusted(config)))
      return { trusted: true, already: true };
    const { path, remote, digest } = config;
    await this.#records.insert({
      id: createIdentifier("tru"),
      key: keyOf(config),
      path,
      remote,
      digest,
    });
    await this.#audit("agents.trust-given", { path, remote, digest });
    return { trusted: true, already: false };
  }

  async #isTrusted(config: FolderConfig): Promise<boolean> {
    return (await this.#records.count("key", [keyOf(config)], 1)) > 0;
  }
}

function keyOf({ path, remote, digest }: FolderConfig): string {
  return createHash("sha256")
    .update(JSON.stringify([path, remote, digest]))
    .digest("hex");
}
