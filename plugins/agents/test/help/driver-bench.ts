import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createIdentifier,
  definePlugin,
  type Clock,
  type Log,
  type Run,
} from "@gantry/plugin";
import { startTestKernel, type TestKernel } from "@gantry/plugin-testing";
import type {
  AgentDriver,
  AgentSession,
  CliCommand,
  DriverEvent,
  OpenSession,
  ResumePoint,
} from "../../src/driver.ts";
import { createRealClock } from "./real-clock.ts";
import { until } from "./wait.ts";

type TurnEnded = Extract<DriverEvent, { type: "turn-ended" }>;

const NEVER = new AbortController().signal;

/** A conversation of a driver, and all that it told. */
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

  /** What a process needs to continue the conversation, or a copy of it. */
  resumePoint(fork: ResumePoint["fork"] = null): ResumePoint {
    const { sessionId, resumeKey } = this.session;
    const reported = this.of("usage").at(-1)?.reportedCostUsd ?? null;
    return { sessionId, resumeKey, reportedCostUsd: reported, fork };
  }
}

/** Runs drivers by themselves, with what a kernel gives them. */
export class DriverBench {
  readonly host: { run: Run; clock: Clock; log: Log };
  readonly folder: string;
  readonly #kernel: TestKernel;
  readonly #open: AgentSession[] = [];

  private constructor(
    kernel: TestKernel,
    host: DriverBench["host"],
    folder: string,
  ) {
    this.#kernel = kernel;
    this.host = host;
    this.folder = folder;
  }

  static async start(): Promise<DriverBench> {
    let host: DriverBench["host"] | undefined;
    const bench = definePlugin({
      id: "bench",
      api: 1,
      summary: "Lends the dependencies of drivers",
      mounts: [],
      setup: ({ run, clock, log }) => void (host = { run, clock, log }),
    });
    const kernel = await startTestKernel([bench], { clock: createRealClock() });
    if (!host) throw new Error("The bench did not start.");
    const folder = await mkdtemp(join(tmpdir(), "gantry-bench-"));
    return new DriverBench(kernel, host, folder);
  }

  /** What a session is opened with, in a folder of its own. */
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
