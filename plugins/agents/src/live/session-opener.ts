import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describeError, isGantryError, type Clock } from "@gantry/plugin";
import { timeoutSignal } from "../abort.ts";
import { checkAsksFirst } from "../clis/asks-first.ts";
import type { CliCatalog } from "../clis/cli-catalog.ts";
import type { CheckedFolder, CliProcesses } from "../clis/cli-processes.ts";
import type {
  AgentCapabilities,
  AgentDriver,
  AgentScreen,
  AgentSession,
  CliCommand,
  DriverListener,
  OpenScreen,
  OpenSession,
  ResumePoint,
} from "../driver.ts";
import { toDefaultNotice } from "../drivers/default-notice.ts";
import { errors } from "../errors.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { ToolServer } from "../tool-server.ts";
import {
  NO_TOOLS,
  type Admission,
  type ToolOffers,
} from "../tool-servers/tool-offers.ts";
import type { EarlierSession } from "../transcript/find-session.ts";
import { classifyFailure } from "./classify-failure.ts";
import type { SessionLock, SessionLocks } from "./session-locks.ts";

/** Dependencies of {@link SessionOpener}. */
export interface SessionOpenerHost {
  catalog: CliCatalog;
  processes: CliProcesses;
  locks: SessionLocks;
  offers: ToolOffers;
  clock: Clock;
  /** Variables with which a CLI's calls of git only read. @param folder Its own, for what these name */
  readingEnvironment(
    folder: string,
    path: string | undefined,
  ): Promise<Record<string, string>>;
  /** Folder for what drivers keep of each agent. */
  folder: string;
  startMs: number;
}

/** How a session is opened. */
export interface OpenOptions {
  /** Begins a new conversation. */
  fresh: boolean;
  /** The session to continue, in place of the one at hand. */
  earlier?: EarlierSession;
  /** It asks before it changes anything. */
  asksFirst?: boolean;
  /** What it may spend, in USD. */
  maxCostUsd?: number | null;
}

/** A session that is open, and the right to write to it. */
export interface OpenedSession {
  session: AgentSession;
  lock: SessionLock;
}

/** The screen of a CLI that is ready to be shown, by `show` alone. */
export interface OpenedScreen {
  screen: AgentScreen;
  lock: SessionLock | undefined;
  /** The tools of the screen; end it when the screen ends. */
  admission: Admission;
  show: CheckedFolder["show"];
}

/** Starts CLIs: everything that is checked before, and the lock of the conversation. */
export class SessionOpener {
  readonly #host: SessionOpenerHost;

  constructor(host: SessionOpenerHost) {
    this.#host = host;
  }

  /**
   * Opens the conversation of an agent, or a new one if `fresh`. With `asksFirst` it asks before it changes anything.
   *
   * @throws AGENT_CLI_MISSING, AGENT_FOLDER_INVALID, AGENT_TRUST_REQUIRED, AGENT_CONFIG_TOO_LARGE, AGENT_NEVER_ASKS,
   *   AGENT_SESSION_LOCKED, AGENT_UNSUPPORTED, AGENT_START_FAILED
   */
  async open(
    agent: AgentRecord,
    { fresh, asksFirst = false, maxCostUsd = null }: OpenOptions,
    listener: DriverListener,
    signal: AbortSignal,
  ): Promise<OpenedSession> {
    const { catalog, locks, clock, startMs } = this.#host;
    const { driver, ...prepared } = await this.#prepare(agent);
    if (asksFirst) checkAsksFirst(agent.cli, catalog.capabilities(agent.cli));
    const known = fresh ? null : agent.sessionId;
    let lock = await this.#lockOf(agent, known);
    const timeout = timeoutSignal(
      clock,
      startMs,
      new Error(`It did not open a conversation in ${startMs} ms.`),
    );
    let session: AgentSession | undefined;
    let admission = NO_TOOLS;
    try {
      const signals = AbortSignal.any([signal, timeout.signal]);
      // In a run that only reports, no user is there to answer what a tool's plugin asks.
      if (!asksFirst) admission = await this.#admit(agent, signals);
      const given = await this.#toInput(agent, known, prepared, admission);
      const asking = asksFirst ? await this.#toAskingInput(given) : given;
      const input = { ...asking, maxCostUsd };
      session = await this.#openDriver(driver, input, listener, signals);
      void session.ended.then(() => admission.end());
      catalog.learn(agent.cli, session);
      if (session.sessionId !== known) {
        await lock?.release();
        lock = undefined;
      }
      lock ??= await locks.take(agent.cli, session.sessionId, agent.id);
      if (session.pid !== null) await lock.hand(session.pid);
      return { session, lock };
    } catch (error) {
      admission.end();
      await session?.kill();
      await lock?.release();
      throw toStartError(error, agent.cli, signal);
    } finally {
      timeout.clear();
    }
  }

  /**
   * Prepares the CLI's own screen on the conversation of an agent, and takes the lock of it where the conversation is
   * known.
   *
   * @throws what {@link open} throws
   */
  async openScreen(
    agent: AgentRecord,
    receiver: OpenScreen["receiver"],
    signal: AbortSignal,
  ): Promise<OpenedScreen> {
    const { cli, id, sessionId } = agent;
    const { driver, ...prepared } = await this.#prepare(agent);
    const { show } = prepared.folder;
    let lock = await this.#lockOf(agent, sessionId);
    let admission = NO_TOOLS;
    try {
      if (!driver.screen)
        throw errors.AGENT_UNSUPPORTED({ cli, capability: "terminal" });
      admission = await this.#admit(agent, signal);
      const input = await this.#toInput(agent, sessionId, prepared, admission);
      const screen = await driver.screen({ ...input, receiver }, signal);
      const shown = screen.session?.sessionId ?? sessionId;
      if (shown !== sessionId) {
        await lock?.release();
        lock = undefined;
      }
      if (shown !== null) lock ??= await this.#host.locks.take(cli, shown, id);
      return { screen, lock, admission, show };
    } catch (error) {
      admission.end();
      await lock?.release();
      throw toStartError(error, cli, signal);
    }
  }

  /** Opens a session. A model that the CLI does not have any more gives way to its default, which is said. */
  async #openDriver(
    driver: AgentDriver,
    input: OpenSession & { maxCostUsd: number | null },
    listener: DriverListener,
    signal: AbortSignal,
  ): Promise<AgentSession> {
    const { model } = input;
    try {
      return await driver.open(input, listener, signal);
    } catch (error) {
      if (model === null || signal.aborted || !isModelGone(error, model))
        throw error;
      const given = { ...input, model: null };
      const session = await driver.open(given, listener, signal);
      const text = toDefaultNotice("model", model, describeError(error));
      await listener({ type: "notice", turn: null, text });
      return session;
    }
  }

  async #prepare(
    agent: AgentRecord,
  ): Promise<Prepared & { driver: AgentDriver }> {
    const { catalog, processes } = this.#host;
    const command = await catalog.command(agent.cli);
    const driver = catalog.driver(agent.cli);
    if (!driver) throw errors.AGENT_CLI_MISSING({ cli: agent.cli });
    checkSettings(agent, catalog.capabilities(agent.cli));
    const folder = await processes.check(agent, catalog.toStart(agent.cli));
    return { command, driver, folder };
  }

  /** The lock of the conversation that is continued; none for a copy, since its original is not written to. */
  async #lockOf(
    { cli, id, fork }: AgentRecord,
    known: string | null,
  ): Promise<SessionLock | undefined> {
    if (known === null || fork !== null) return undefined;
    return await this.#host.locks.take(cli, known, id);
  }

  /** The tool servers of other plugins for the session; none if its CLI takes none. */
  async #admit(
    { id, cli }: AgentRecord,
    signal: AbortSignal,
  ): Promise<Admission> {
    const { catalog, offers } = this.#host;
    if (!catalog.capabilities(cli).tools) return NO_TOOLS;
    return await offers.admit(id, signal);
  }

  async #toInput(
    agent: AgentRecord,
    known: string | null,
    { command, folder: checked }: Prepared,
    { servers: tools }: Admission,
  ): Promise<OpenSession> {
    const folder = join(this.#host.folder, agent.id);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { cli, cwd, model, thinking, readOnly } = agent;
    return {
      agentId: agent.id,
      ...{ cli, cwd, model, thinking, readOnly, tools },
      extraPrompt: this.#promptOf(agent, tools),
      command,
      trusted: checked.trusted,
      asksFirst: false,
      readingEnvironment: {},
      resume: known === null ? null : toResumePoint(agent, known),
      folder,
      start: (args, env) => checked.start(command.file, args, env),
    };
  }

  /** The agent's own instructions beside the CLI's, and those of its tools. */
  #promptOf(
    { cli, extraPrompt }: AgentRecord,
    tools: readonly ToolServer[],
  ): string | null {
    if (!this.#host.catalog.capabilities(cli).extraPrompt) return extraPrompt;
    const prompts = [extraPrompt, ...tools.map(({ prompt }) => prompt)];
    return prompts.filter(Boolean).join("\n\n") || null;
  }

  async #toAskingInput(given: OpenSession): Promise<OpenSession> {
    const readingEnvironment = await this.#host.readingEnvironment(
      join(given.folder, "reading"),
      given.command.env["PATH"],
    );
    return { ...given, asksFirst: true, readingEnvironment };
  }
}

/** Whether a CLI did not start because of its model; it says so in words only. */
function isModelGone(error: unknown, model: string): boolean {
  if (isGantryError(error)) return false;
  const reason = describeError(error);
  return reason.includes(model) && classifyFailure(reason)?.kind === "model";
}

/** What is known of an agent's CLI right before it is started. */
interface Prepared {
  command: CliCommand;
  /** The agent's folder, in which the CLI may be started. */
  folder: CheckedFolder;
}

/** @throws AGENT_UNSUPPORTED for the first setting that the CLI cannot follow. */
export function checkSettings(
  agent: Pick<
    AgentRecord,
    "cli" | "model" | "thinking" | "extraPrompt" | "readOnly"
  >,
  capabilities: AgentCapabilities,
): void {
  for (const setting of [
    "model",
    "thinking",
    "extraPrompt",
    "readOnly",
  ] as const) {
    if (agent[setting] && !capabilities[setting]) {
      throw errors.AGENT_UNSUPPORTED({ cli: agent.cli, capability: setting });
    }
  }
}

/** Why a CLI did not start, as an error for the caller. */
function toStartError(error: unknown, cli: string, signal: AbortSignal): Error {
  if (isGantryError(error)) return error;
  if (signal.aborted) return errors.AGENT_CLOSED({}, { cause: error });
  const reason = describeError(error);
  return errors.AGENT_START_FAILED({ cli, reason }, { cause: error });
}

function toResumePoint(
  { resumeKey, reportedCostUsd, fork }: AgentRecord,
  sessionId: string,
): ResumePoint {
  return { sessionId, resumeKey, reportedCostUsd, fork };
}
