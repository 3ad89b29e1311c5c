import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isGantryError, type Clock } from "@gantry/plugin";
import { timeoutSignal } from "../abort.ts";
import type { CliCatalog } from "../clis/cli-catalog.ts";
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
import { errors } from "../errors.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { EarlierSession } from "../transcript/find-session.ts";
import type { FolderTrust } from "../trust/folder-trust.ts";
import type { SessionLock, SessionLocks } from "./session-locks.ts";

/** What opening sessions stands on. */
export interface SessionOpenerHost {
  catalog: CliCatalog;
  trust: FolderTrust;
  locks: SessionLocks;
  clock: Clock;
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

/** Starts CLIs: everything that is checked before, and the lock of the conversation. */
export class SessionOpener {
  readonly #host: SessionOpenerHost;

  constructor(host: SessionOpenerHost) {
    this.#host = host;
  }

  /**
   * Opens the conversation of an agent, or a new one if `fresh`. With `asksFirst` it asks before it changes anything.
   *
   * @throws AGENT_CLI_MISSING, AGENT_FOLDER_INVALID, AGENT_TRUST_REQUIRED, AGENT_SESSION_LOCKED, AGENT_UNSUPPORTED,
   *   AGENT_START_FAILED
   */
  async open(
    agent: AgentRecord,
    { fresh, asksFirst = false, maxCostUsd = null }: OpenOptions,
    listener: DriverListener,
    signal: AbortSignal,
  ): Promise<OpenedSession> {
    const { catalog, locks, clock, startMs } = this.#host;
    const { driver, ...prepared } = await this.#prepare(agent);
    const known = fresh ? null : agent.sessionId;
    let lock = await this.#lockOf(agent, known);
    const timeout = timeoutSignal(
      clock,
      startMs,
      new Error(`It did not open a conversation in ${startMs} ms.`),
    );
    let session: AgentSession | undefined;
    try {
      const given = await this.#toInput(agent, known, prepared);
      const input = { ...given, asksFirst, maxCostUsd };
      const signals = AbortSignal.any([signal, timeout.signal]);
      session = await driver.open(input, listener, signals);
      catalog.learn(agent.cli, session);
      if (session.sessionId !== known) {
        await lock?.release();
        lock = undefined;
      }
      lock ??= await locks.take(agent.cli, session.sessionId, agent.id);
      if (session.pid !== null) await lock.hand(session.pid);
      return { session, lock };
    } catch (error) {
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
  ): Promise<{ screen: AgentScreen; lock: SessionLock | undefined }> {
    const { cli, id, sessionId } = agent;
    const { driver, ...prepared } = await this.#prepare(agent);
    let lock = await this.#lockOf(agent, sessionId);
    try {
      const input = await this.#toInput(agent, sessionId, prepared);
      if (!driver.screen)
        throw errors.AGENT_UNSUPPORTED({ cli, capability: "terminal" });
      const screen = await driver.screen({ ...input, receiver }, signal);
      const shown = screen.session?.sessionId ?? sessionId;
      if (shown !== sessionId) {
        await lock?.release();
        lock = undefined;
      }
      if (shown !== null) lock ??= await this.#host.locks.take(cli, shown, id);
      return { screen, lock };
    } catch (error) {
      await lock?.release();
      throw toStartError(error, cli, signal);
    }
  }

  async #prepare(
    agent: AgentRecord,
  ): Promise<Prepared & { driver: AgentDriver }> {
    const { catalog, trust } = this.#host;
    const command = await catalog.command(agent.cli);
    const driver = catalog.driver(agent.cli);
    if (!driver) throw errors.AGENT_CLI_MISSING({ cli: agent.cli });
    await checkFolder(agent.cwd);
    const trusted = await trust.check(agent, catalog.trustPaths(agent.cli));
    checkSettings(agent, catalog.capabilities(agent.cli));
    return { command, driver, trusted };
  }

  /** The lock of the conversation that is gone on with. A copy is written to, not what it is made of. */
  async #lockOf(
    { cli, id, fork }: AgentRecord,
    known: string | null,
  ): Promise<SessionLock | undefined> {
    if (known === null || fork !== null) return undefined;
    return await this.#host.locks.take(cli, known, id);
  }

  async #toInput(
    agent: AgentRecord,
    known: string | null,
    prepared: Prepared,
  ): Promise<OpenSession> {
    const folder = join(this.#host.folder, agent.id);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { cli, cwd, model, thinking, extraPrompt, readOnly } = agent;
    return {
      agentId: agent.id,
      ...{ cli, cwd, model, thinking, extraPrompt, readOnly },
      ...prepared,
      asksFirst: false,
      resume: known === null ? null : toResumePoint(agent, known),
      folder,
    };
  }
}

/** What is known of an agent's CLI right before it is started. */
interface Prepared {
  command: CliCommand;
  trusted: boolean;
}

/** @throws AGENT_FOLDER_INVALID */
export async function checkFolder(path: string): Promise<void> {
  if (!(await isFolder(path))) throw errors.AGENT_FOLDER_INVALID({ path });
}

/** Whether a path leads to a folder. */
export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );

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
  const reason = error instanceof Error ? error.message : String(error);
  return errors.AGENT_START_FAILED({ cli, reason }, { cause: error });
}

function toResumePoint(
  { resumeKey, reportedCostUsd, fork }: AgentRecord,
  sessionId: string,
): ResumePoint {
  return { sessionId, resumeKey, reportedCostUsd, fork };
}
