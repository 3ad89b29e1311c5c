import type {
  AgentCli,
  AgentDriver,
  CliSettings,
  DriverOffer,
} from "@gantry/agent-kit";
import { errors } from "../errors.ts";

/** The order of CLIs that only the configuration names: after those of plugins. */
const CONFIGURED_ORDER = 1000;

/** The drivers and CLIs that plugins have added, and the CLIs of the configuration. */
export class CliRegistry {
  readonly #configured: Readonly<Record<string, CliSettings>>;
  readonly #drivers = new Map<string, AgentDriver>();
  readonly #clis = new Map<string, AgentCli>();
  /**
   * These include removed ones, so that records of conversations can still be read during a shutdown, when the plugins
   * that added them stop before the agents.
   */
  readonly #knownDrivers = new Map<string, AgentDriver>();
  readonly #knownClis = new Map<string, AgentCli>();

  constructor(configured: Readonly<Record<string, CliSettings>>) {
    this.#configured = configured;
  }

  /**
   * Adds a driver and CLIs until the signal aborts.
   *
   * @throws AGENT_DRIVER_TAKEN, AGENT_CLI_TAKEN
   */
  add({ driver, clis = [] }: DriverOffer, signal: AbortSignal): void {
    if (driver && this.#drivers.has(driver.name))
      throw errors.AGENT_DRIVER_TAKEN({ name: driver.name });
    for (const cli of clis) this.#checkFree(cli);
    signal.throwIfAborted();
    if (driver) {
      this.#drivers.set(driver.name, driver);
      this.#knownDrivers.set(driver.name, driver);
    }
    for (const cli of clis) {
      this.#clis.set(cli.name, cli);
      this.#knownClis.set(cli.name, cli);
    }
    const remove = () => {
      if (driver) this.#drivers.delete(driver.name);
      for (const { name } of clis) this.#clis.delete(name);
    };
    signal.addEventListener("abort", remove, { once: true });
  }

  driver(name: string): AgentDriver | undefined {
    return this.#drivers.get(name);
  }

  /** As {@link driver}, including one that was removed. */
  knownDriver(name: string): AgentDriver | undefined {
    return this.#knownDrivers.get(name);
  }

  /** A CLI with its effective settings: those of the configuration replace those of its plugin. */
  cli(name: string): AgentCli | undefined {
    return this.#merge(name, this.#clis.get(name));
  }

  /** As {@link cli}, including one that was removed. */
  knownCli(name: string): AgentCli | undefined {
    return this.#merge(name, this.#knownClis.get(name));
  }

  /** Names of all CLIs, in the order in which the default is chosen. */
  get names(): string[] {
    const names = new Set([
      ...this.#clis.keys(),
      ...Object.keys(this.#configured),
    ]);
    const orderOf = (name: string) =>
      this.#clis.get(name)?.order ?? CONFIGURED_ORDER;
    return [...names].sort((one, other) => orderOf(one) - orderOf(other));
  }

  #merge(name: string, brought: AgentCli | undefined): AgentCli | undefined {
    const configured = this.#settingsOf(name);
    if (!configured) return brought;
    return { ...configured, name, order: brought?.order ?? CONFIGURED_ORDER };
  }

  #settingsOf(name: string): CliSettings | undefined {
    return Object.hasOwn(this.#configured, name)
      ? this.#configured[name]
      : undefined;
  }

  #checkFree({ name, isFixed }: AgentCli): void {
    const isTaken =
      this.#clis.has(name) || (isFixed && this.#settingsOf(name) !== undefined);
    if (isTaken) throw errors.AGENT_CLI_TAKEN({ cli: name });
  }
}
