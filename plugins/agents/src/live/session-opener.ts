import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  describeError,
  isGantryError,
  type Clock,
  type Git,
} from "@gantry/plugin";
import {
  type AgentCapabilities,
  type AgentDriver,
  type AgentScreen,
  type AgentSession,
  type CliCommand,
  type DriverListener,
  type OpenScreen,
  type OpenSession,
  type ResumePoint,
  timeoutSignal,
  type ToolServer,
} from "@gantry/agent-kit";
import { checkAsksFirst } from "../clis/asks-first.ts";
import type { CliCatalog } from "../clis/cli-catalog.ts";
import type { CheckedFolder, CliProcesses } from "../clis/cli-processes.ts";
import { errors } from "../errors.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import {
  NO_TOOLS,
  type Admission,
  type ToolOffers,
} from "../tool-servers/tool-offers.ts";
import type { EarlierSession } from "../transcript/find-session.ts";
import type { SessionLock, SessionLocks } from "./session-locks.ts";

/** Dependencies of {@link SessionOpener}. */
export interface SessionOpenerHost {
  catalog: CliCatalog;
  processes: CliProcesses;
  locks: SessionLocks;
  offers: ToolOffers;
  clock: Clock;
  git: Git;
  /** Parent of the folders in which drivers keep files of each agent. */
  folder: string;
  startMs: number;
}

/** Options for opening a session. */
export interface OpenOptions {
  /** Whether to begin a new conversation. */
  fresh: boolean;
  /** The session to continue in place of the current one. */
  earlier?: EarlierSession;
  /** Whether the CLI must ask before it changes anything. */
  asksFirst?: boolean;
  /** Limit of the session's cost in USD. */
  maxCostUsd?: number | null;
}

/** An open session and the lock of its conversation. */
export interface OpenedSession {
  session: AgentSession;
  lock: SessionLock;
}

/** A CLI's own screen, prepared but not started; `show` starts it. */
export interface OpenedScreen {
  screen: AgentScreen;
  lock: SessionLock | undefined;
  /** The tools of the screen; end it when the screen ends. */
  admission: Admission;
  show: CheckedFolder["show"];
}

/** Opens sessions of CLIs: checks the agent's settings and folder, takes the lock of the conversation, starts the CLI. */
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
      // In a report-only run, no user can answer the questions of a tool's plugin.
      if (!asksFirst) admission = await this.#admit(agent, signals);
      const given = await this.#toInput(agent, known, prepared, admission);
      const asking = asksFirst ? await this.#toAskingInput(given) : given;
      const input = { ...asking, maxCostUsd };
      session = await driver.open(input, listener, signals);
      void session.ended.then(() => admission.end());
      catalog.learn(agent.cli, session);
      if (session.sessionId !== known) {
        await lock?.release();
        lock = undefined;
      }
      lock ??= await locks.take(agent.cli, session.sessionId, agent.id);
      if (session.pid !== null) await lock.assignTo(session.pid);
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
   * Prepares the CLI's own screen for the conversation of an agent, and takes the lock of the conversation if it is known.
   *
   * @throws the errors of {@link open}
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

  /** Takes the lock of the conversation to continue. A fork needs none, since it writes to a copy. */
  async #lockOf(
    { cli, id, fork }: AgentRecord,
    known: string | null,
  ): Promise<SessionLock | undefined> {
    if (known === null || fork !== null) return undefined;
    return await this.#host.locks.take(cli, known, id);
  }

  /** The tool servers of other plugins for the session; none if its CLI does not support tools. */
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
      ...{ cli, cwd, model, thinking, readOnly },
      extraPrompt: this.#promptOf(agent, tools),
      command,
      trusted: checked.trusted,
      asksFirst: false,
      readingEnvironment: {},
      tools,
      resume: known === null ? null : toResumePoint(agent, known),
      folder,
      start: (args, env) => checked.start(command.file, args, env),
    };
  }

  /** The agent's additional instructions and those of its tools. */
  #promptOf(
    { cli, extraPrompt }: AgentRecord,
    tools: readonly ToolServer[],
  ): string | null {
    if (!this.#host.catalog.capabilities(cli).extraPrompt) return extraPrompt;
    const prompts = [extraPrompt, ...tools.map(({ prompt }) => prompt)];
    return prompts.filter(Boolean).join("\n\n") || null;
  }

  async #toAskingInput(given: OpenSession): Promise<OpenSession> {
    const readingEnvironment = await this.#host.git.readingEnvironment(
      join(given.folder, "reading"),
      given.command.env["PATH"],
    );
    return { ...given, asksFirst: true, readingEnvironment };
  }
}

/** The command and the checked folder for a start. */
interface Prepared {
  command: CliCommand;
  /** The agent's folder, in which the CLI may be started. */
  folder: CheckedFolder;
}

/** @throws AGENT_UNSUPPORTED for the first setting that the CLI does not support */
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

/** Converts the reason why a CLI did not start to an error for the caller. */
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
