import { access, constants, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type { Clock, Run } from "@gantry/plugin";
import type { AgentsConfig, CliConfig } from "../config.ts";
import {
  NO_CAPABILITIES,
  type AgentCapabilities,
  type AgentDriver,
  type AgentSession,
  type CliCommand,
} from "../driver.ts";
import type { DriverRegistry } from "../drivers/driver-registry.ts";
import { errors } from "../errors.ts";
import { PRACTICE_VERSION } from "../practice/version.ts";
import { BUILT_IN_CLIS } from "./built-in-clis.ts";
import type { CliView } from "./cli.ts";
import type { CliProcesses, CliToStart } from "./cli-processes.ts";
import type { UsageWindows } from "../usage/usage-windows.ts";
import { CliVersions } from "./cli-versions.ts";
import {
  toConfiguredCapabilities,
  toConfiguredDriver,
} from "./configured-driver.ts";
import {
  PRACTICE,
  PRACTICE_CAPABILITIES,
  practiceConfig,
  practiceParts,
  toPracticeDriver,
} from "./practice-cli.ts";

/** Drivers whose CLIs say their version when they are asked, and do nothing else. */
const ASKED_DRIVERS: ReadonlySet<string> = new Set(["pi", "claude", "codex"]);

/** What is known of the agent CLIs on this machine. */
export class CliCatalog {
  readonly #find: Run["find"];
  readonly #drivers: DriverRegistry;
  readonly #versions: CliVersions;
  readonly #configs: ReadonlyMap<string, CliConfig>;
  readonly #defaultName: string | undefined;
  readonly #practiceParts: Partial<AgentDriver>;
  /** What a CLI said of itself when it was last started. */
  readonly #clock: Clock;
  readonly #windows: UsageWindows;
  readonly #learned = new Map<
    string,
    { capabilities: AgentCapabilities; version: string | null }
  >();

  constructor(host: {
    /** Looks for a program on the PATH. */
    find: Run["find"];
    processes: CliProcesses;
    drivers: DriverRegistry;
    config: AgentsConfig;
    folder: string;
    clock: Clock;
    windows: UsageWindows;
  }) {
    this.#clock = host.clock;
    this.#windows = host.windows;
    this.#find = host.find;
    this.#drivers = host.drivers;
    this.#versions = new CliVersions(host.processes, host.clock);
    this.#defaultName = host.config.defaultCli;
    this.#practiceParts = practiceParts(host.folder);
    // In the order in which a default is looked for.
    this.#configs = new Map([
      ...Object.entries({ ...BUILT_IN_CLIS, ...host.config.clis }),
      [PRACTICE, practiceConfig(host.folder)],
    ]);
  }

  has(name: string): boolean {
    return this.#configs.has(name);
  }

  get names(): string[] {
    return [...this.#configs.keys()];
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

  /** The CLI of an agent that was not given one: the configured one, else the first that is installed. */
  async defaultName(): Promise<string> {
    if (this.#defaultName !== undefined && this.has(this.#defaultName))
      return this.#defaultName;
    for (const name of this.names) if (await this.#locate(name)) return name;
    return PRACTICE;
  }

  /** What a CLI can do; known also while it is not installed, better once it was started. */
  capabilities(name: string): AgentCapabilities {
    if (name === PRACTICE) return PRACTICE_CAPABILITIES;
    const config = this.#configs.get(name);
    const driver = config && this.#drivers.get(config.driver);
    // A driver of a plugin that was built before a capability came does not name it.
    const capabilities = {
      ...NO_CAPABILITIES,
      ...(this.#learned.get(name)?.capabilities ?? driver?.capabilities),
    };
    const cost = config?.cost ?? capabilities.cost;
    return { ...toConfiguredCapabilities(capabilities, config ?? {}), cost };
  }

  /** Whether the driver of a CLI is there; one of another plugin comes after this plugin's start. */
  hasDriver(name: string): boolean {
    const config = this.#configs.get(name);
    return (
      config !== undefined && this.#drivers.get(config.driver) !== undefined
    );
  }

  /** The driver of a CLI, `undefined` if it is not there. */
  driver(name: string): AgentDriver | undefined {
    const config = this.#configs.get(name);
    const driver = config && this.#drivers.get(config.driver);
    if (!driver) return undefined;
    return name === PRACTICE
      ? toPracticeDriver(driver, this.#practiceParts)
      : toConfiguredDriver(driver, config);
  }

  /** A CLI with what of a folder it would run. */
  toStart(name: string): CliToStart {
    return { cli: name, trustPaths: this.trustPaths(name) };
  }

  /** What the configuration adds to the environment of a CLI. */
  environment(name: string): Readonly<Record<string, string>> {
    return this.#configs.get(name)?.env ?? {};
  }

  /** Files and folders in a project that a CLI would run something of. */
  trustPaths(name: string): readonly string[] {
    // Ours reads nothing that a folder brings along.
    if (name === PRACTICE) return [];
    return (
      this.#configs.get(name)?.trustPaths ?? this.driver(name)?.trustPaths ?? []
    );
  }

  async isInstalled(name: string): Promise<boolean> {
    return (await this.#locate(name)) !== undefined;
  }

  /**
   * How a CLI is started.
   *
   * @throws AGENT_CLI_MISSING
   */
  async command(name: string): Promise<CliCommand> {
    const config = this.#configs.get(name);
    const file = await this.#locate(name);
    if (!config || file === undefined)
      throw errors.AGENT_CLI_MISSING({ cli: name });
    const { args, env } = config;
    const version = await this.#versionOf(name, file, config);
    return { file, args, env, version };
  }

  /** Keeps what a CLI said of itself when it started. */
  learn(name: string, session: AgentSession): void {
    const { capabilities, version } = session;
    this.#learned.set(name, { capabilities, version });
  }

  async #describe(name: string): Promise<Omit<CliView, "isDefault">> {
    const config = this.#configs.get(name);
    const driver = this.driver(name);
    const file = await this.#locate(name);
    const learned = this.#learned.get(name);
    const version =
      file && config ? await this.#versionOf(name, file, config) : null;
    return {
      name,
      title:
        name === PRACTICE ? "practice (Gantry's own, without a model)" : name,
      driver: config?.driver ?? "",
      installed: file !== undefined,
      reason:
        file === undefined
          ? reasonOf(name, config, driver !== undefined)
          : null,
      version: learned?.version ?? version,
      // Of our own the program is of interest, not the Node that runs it.
      path: (name === PRACTICE ? config?.args.find(isNoOption) : file) ?? null,
      capabilities: this.capabilities(name),
      isPractice: name === PRACTICE,
      windows: this.#windows.of(name, this.#clock.now()),
    };
  }

  /** Path of a CLI whose driver is there as well. */
  async #locate(name: string): Promise<string | undefined> {
    const config = this.#configs.get(name);
    if (!config || !this.driver(name)) return undefined;
    if (!isAbsolute(config.command)) return await this.#find(config.command);
    return (await isExecutable(config.command)) ? config.command : undefined;
  }

  async #versionOf(
    name: string,
    file: string,
    config: CliConfig,
  ): Promise<string | null> {
    if (name === PRACTICE) return PRACTICE_VERSION;
    const { version, args, env, driver } = config;
    const cli = this.toStart(name);
    if (version) return await this.#versions.of(cli, file, version, env);
    // Of others it is not known what the argument does; they say their version when they start.
    if (!ASKED_DRIVERS.has(driver)) return null;
    return await this.#versions.of(cli, file, [...args, "--version"], env);
  }
}

function reasonOf(
  name: string,
  config: CliConfig | undefined,
  hasDriver: boolean,
): string {
  if (!config) return "It is not in the configuration any more.";
  if (!hasDriver) return `No plugin provides the driver "${config.driver}".`;
  return isAbsolute(config.command)
    ? `${config.command} is not there or not executable.`
    : `"${config.command}" was not found. Install it, or set its path in settings.agents.clis.${name}.`;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

function isNoOption(argument: string): boolean {
  return !argument.startsWith("-");
}
