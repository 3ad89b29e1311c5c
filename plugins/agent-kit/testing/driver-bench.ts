import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createIdentifier,
  definePlugin,
  type Clock,
  type Log,
  type PluginDefinition,
  type Run,
} from "@gantry/plugin";
import {
  provideFake,
  startTestKernel,
  type TestKernel,
} from "@gantry/plugin-testing";
import type { AgentCli } from "../src/agent-cli.ts";
import { AgentDrivers, type DriverOffer } from "../src/agent-drivers.ts";
import { toConfiguredDriver } from "../src/configured-driver.ts";
import type { AgentDriver } from "../src/driver.ts";
import type { AgentSession } from "../src/agent-session.ts";
import type {
  CliCommand,
  OpenSession,
  ResumePoint,
} from "../src/open-session.ts";
import type { DriverEvent } from "../src/driver-events.ts";
import { createRealClock } from "./real-clock.ts";
import { until } from "./wait.ts";

type TurnEnded = Extract<DriverEvent, { type: "turn-ended" }>;

const NEVER = new AbortController().signal;

/** A conversation of a driver, with all its events. */
export class BenchSession {
  readonly session: AgentSession;
  readonly events: DriverEvent[];

  constructor(session: AgentSession, events: DriverEvent[]) {
    this.session = session;
    this.events = events;
  }

  /** Sends a prompt and waits for the end of its turn. */
  async turn(text: string): Promise<TurnEnded> {
    const before = this.of("turn-ended").length;
    const turn = createIdentifier("trn");
    await this.session.prompt({ text, images: [], turn }, NEVER);
    return await until(
      () => this.of("turn-ended")[before],
      `the turn of ${text} has ended`,
    );
  }

  /** The events of one type so far. */
  of<Type extends DriverEvent["type"]>(
    type: Type,
  ): Extract<DriverEvent, { type: Type }>[] {
    return this.events.filter(
      (event): event is Extract<DriverEvent, { type: Type }> =>
        event.type === type,
    );
  }

  /** Where the same or another process continues the conversation. */
  resumePoint(fork: ResumePoint["fork"] = null): ResumePoint {
    const { sessionId, resumeKey } = this.session;
    const reported = this.of("usage").at(-1)?.reportedCostUsd ?? null;
    return { sessionId, resumeKey, reportedCostUsd: reported, fork };
  }
}

/** Runs drivers alone, with the parts of a kernel that they need. */
export class DriverBench {
  readonly host: { run: Run; clock: Clock; log: Log };
  readonly folder: string;
  readonly #kernel: TestKernel;
  readonly #open: AgentSession[] = [];
  readonly #offers: readonly DriverOffer[];

  private constructor(
    kernel: TestKernel,
    host: DriverBench["host"],
    folder: string,
    offers: readonly DriverOffer[],
  ) {
    this.#kernel = kernel;
    this.host = host;
    this.folder = folder;
    this.#offers = offers;
  }

  /** Starts a bench; {@link driverOf} returns what the plugins add. */
  static async start(
    plugins: readonly PluginDefinition[] = [],
  ): Promise<DriverBench> {
    let host: DriverBench["host"] | undefined;
    const bench = definePlugin({
      id: "bench",
      api: 1,
      summary: "Provides the dependencies of drivers",
      mounts: [],
      setup: ({ run, clock, log }) => void (host = { run, clock, log }),
    });
    const folder = await mkdtemp(join(tmpdir(), "gantry-bench-"));
    const offers: DriverOffer[] = [];
    const registry = provideFake(AgentDrivers, {
      add: async (offer) => void offers.push(offer),
      folder: async ({ cli }) => join(folder, cli),
    });
    const kernel = await startTestKernel([bench, registry, ...plugins], {
      clock: createRealClock(),
    });
    if (!host) throw new Error("The bench did not start.");
    return new DriverBench(kernel, host, folder, offers);
  }

  /** A CLI that a plugin has added. */
  cliOf(name: string): AgentCli {
    const clis = this.#offers.flatMap(({ clis = [] }) => clis);
    const cli = clis.find((one) => one.name === name);
    if (!cli) throw new Error(`No plugin has added a CLI "${name}".`);
    return cli;
  }

  /** The driver of a CLI that a plugin has added, as the daemon uses it. */
  driverOf(cli: string): AgentDriver {
    const known = this.cliOf(cli);
    const driver = this.#offers.find(
      ({ driver }) => driver?.name === known.driver,
    )?.driver;
    if (!driver) throw new Error(`No plugin has added "${known.driver}".`);
    return toConfiguredDriver(driver, known);
  }

  /** Options for opening a session in a folder of its own. */
  async input(
    command: Partial<CliCommand>,
    more: Partial<OpenSession> = {},
  ): Promise<OpenSession> {
    const file = command.file ?? process.execPath;
    const cwd = more.cwd ?? (await mkdtemp(join(this.folder, "cwd-")));
    return {
      agentId: "agt_bench",
      cli: "bench",
      command: { args: [], env: {}, version: null, ...command, file },
      cwd,
      start: (args, env) => this.host.run(file, args, { cwd, env }),
      resume: null,
      model: null,
      thinking: null,
      extraPrompt: null,
      readOnly: false,
      asksFirst: false,
      readingEnvironment: {},
      tools: [],
      trusted: true,
      folder: await mkdtemp(join(this.folder, "own-")),
      ...more,
    };
  }

  async open(driver: AgentDriver, input: OpenSession): Promise<BenchSession> {
    const events: DriverEvent[] = [];
    const listener = (event: DriverEvent) => void events.push(event);
    const session = await driver.open(input, listener, NEVER);
    this.#open.push(session);
    return new BenchSession(session, events);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#open.map((session) => session.kill()));
    await this.#kernel.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
