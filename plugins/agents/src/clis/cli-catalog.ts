import { access, constants, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type { Clock, Run } from "@gantry/plugin";
import {
  type AgentCapabilities,
  type AgentCli,
  type AgentDriver,
  type AgentSession,
  type CliCommand,
  type KeptConversations,
  NO_CAPABILITIES,
  toConfiguredCapabilities,
  toConfiguredDriver,
} from "@gantry/agent-kit";
import { errors } from "../errors.ts";
import type { CliView } from "./cli.ts";
import type { CliProcesses, CliToStart } from "./cli-processes.ts";
import type { CliRegistry } from "./cli-registry.ts";
import { CliVersions } from "./cli-versions.ts";

/** The agent CLIs on this machine: their drivers, capabilities, versions and commands. */
export class CliCatalog {
  readonly #find: Run["find"];
  readonly #registry: CliRegistry;
  readonly #versions: CliVersions;
  readonly #defaultName: string | undefined;
  /** What each CLI reported when it was last started. */
  readonly #learned = new Map<
    string,
    { capabilities: AgentCapabilities; version: string | null }
  >();

  constructor(host: {
    /** Looks for a program on the PATH. */
    find: Run["find"];
    processes: CliProcesses;
    registry: CliRegistry;
    /** The configured CLI of new agents. */
    defaultName: string | undefined;
    clock: Clock;
  }) {
    this.#find = host.find;
    this.#registry = host.registry;
    this.#versions = new CliVersions(host.processes, host.clock);
    this.#defaultName = host.defaultName;
  }

  has(name: string): boolean {
    return this.#registry.cli(name) !== undefined;
  }

  get names(): string[] {
    return this.#registry.names;
  }

  /** The CLIs' own copies of conversations below the plugin's folder. */
  get keptConversations(): KeptConversations[] {
    return this.names.flatMap(
      (name) => this.#registry.cli(name)?.conversations ?? [],
    );
  }

  async list(): Promise<CliView[]> {
    const isDefault = await this.defaultName();
    return await Promise.all(
      this.names.map(async (name) => ({
        ...(await this.#describe(name)),
        isDefault: name === isDefault,
      })),
    );
  }

  /** The CLI of a new agent for which none is given: the configured one, else the first that is installed. */
  async defaultName(): Promise<string> {
    if (this.#defaultName !== undefined && this.has(this.#defaultName))
      return this.#defaultName;
    const { names } = this;
    for (const name of names) if (await this.#locate(name)) return name;
    return names.at(-1) ?? "";
  }

  /** What a CLI can do: as it reported at its last start, else as its driver declares. */
  capabilities(name: string): AgentCapabilities {
    const cli = this.#registry.cli(name);
    if (cli?.capabilities) return cli.capabilities;
    const driver = cli && this.#registry.driver(cli.driver);
    // A driver that was built before a capability was added does not name it.
    const capabilities = {
      ...NO_CAPABILITIES,
      ...(this.#learned.get(name)?.capabilities ?? driver?.capabilities),
    };
    const cost = cli?.cost ?? capabilities.cost;
    return { ...toConfiguredCapabilities(capabilities, cli ?? {}), cost };
  }

  /** Whether the driver of a CLI was added; the plugin that adds it starts after this one. */
  hasDriver(name: string): boolean {
    const cli = this.#registry.cli(name);
    return cli !== undefined && this.#registry.driver(cli.driver) !== undefined;
  }

  /** The driver of a CLI, `undefined` if it is missing. */
  driver(name: string): AgentDriver | undefined {
    const cli = this.#registry.cli(name);
    const driver = cli && this.#registry.driver(cli.driver);
    return driver && toConfiguredDriver(driver, cli);
  }

  /** As {@link driver}, including a driver whose plugin has stopped. Only for reading records of conversations. */
  knownDriver(name: string): AgentDriver | undefined {
    const cli = this.#registry.knownCli(name);
    const driver = cli && this.#registry.knownDriver(cli.driver);
    return driver && toConfiguredDriver(driver, cli);
  }

  /** A CLI with the paths in a folder that it would run something of. */
  toStart(name: string): CliToStart {
    return { cli: name, trustPaths: this.trustPaths(name) };
  }

  /** Environment variables that a CLI is started with, in addition to the daemon's. */
  environment(name: string): Readonly<Record<string, string>> {
    return this.#registry.knownCli(name)?.env ?? {};
  }

  /** Files and folders in a project that a CLI would run something of. */
  trustPaths(name: string): readonly string[] {
    return (
      this.#registry.cli(name)?.trustPaths ??
      this.driver(name)?.trustPaths ??
      []
    );
  }

  async isInstalled(name: string): Promise<boolean> {
    return (await this.#locate(name)) !== undefined;
  }

  /**
   * The command that starts a CLI.
   *
   * @throws AGENT_CLI_MISSING
   */
  async command(name: string): Promise<CliCommand> {
    const cli = this.#registry.cli(name);
    const file = await this.#locate(name);
    if (!cli || file === undefined)
      throw errors.AGENT_CLI_MISSING({ cli: name });
    const { args, env } = cli;
    const version = await this.#versionOf(cli, file);
    return { file, args, env, version };
  }

  /** Keeps the capabilities and the version that a CLI reported when it started. */
  learn(name: string, session: AgentSession): void {
    const { capabilities, version } = session;
    this.#learned.set(name, { capabilities, version });
  }

  async #describe(name: string): Promise<Omit<CliView, "isDefault">> {
    const cli = this.#registry.cli(name);
    const driver = this.driver(name);
    const file = await this.#locate(name);
    const learned = this.#learned.get(name);
    const version = file && cli ? await this.#versionOf(cli, file) : null;
    return {
      name,
      title: cli?.title ?? name,
      driver: cli?.driver ?? "",
      installed: file !== undefined,
      reason: file === undefined ? reasonOf(cli, driver !== undefined) : null,
      version: learned?.version ?? version,
      path: (file === undefined ? undefined : cli?.program) ?? file ?? null,
      capabilities: this.capabilities(name),
      isPractice: cli?.isPractice ?? false,
    };
  }

  /** Path of a CLI; `undefined` if it or its driver is missing. */
  async #locate(name: string): Promise<string | undefined> {
    const cli = this.#registry.cli(name);
    if (!cli || !this.hasDriver(name)) return undefined;
    if (!isAbsolute(cli.command)) return await this.#find(cli.command);
    return (await isExecutable(cli.command)) ? cli.command : undefined;
  }

  async #versionOf(cli: AgentCli, file: string): Promise<string | null> {
    const { name, version, args, env, knownVersion } = cli;
    if (knownVersion !== undefined) return knownVersion;
    const started = this.toStart(name);
    if (version) return await this.#versions.of(started, file, version, env);
    // What an argument does in any other CLI is unknown; those report their version when they start.
    const own = this.#registry.driver(cli.driver)?.versionArguments;
    if (!own) return null;
    return await this.#versions.of(started, file, [...args, ...own], env);
  }
}

function reasonOf(cli: AgentCli | undefined, hasDriver: boolean): string {
  if (!cli) return "It is not in the configuration any more.";
  if (!hasDriver) return `No plugin provides the driver "${cli.driver}".`;
  return isAbsolute(cli.command)
    ? `${cli.command} is not there or not executable.`
    : `"${cli.command}" is not on the PATH of the daemon.`;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
