import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isGantryError, type Clock } from "@gantry/plugin";
import { timeoutSignal } from "../abort.ts";
import type { CliCatalog } from "../clis/cli-catalog.ts";
import type {
  AgentCapabilities,
  AgentSession,
  DriverListener,
  ResumePoint,
} from "../driver.ts";
import { errors } from "../errors.ts";
import type { AgentRecord } from "../records/agent-record.ts";
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
   * Opens the conversation of an agent, or a new one if `fresh`.
   *
   * @throws AGENT_CLI_MISSING, AGENT_FOLDER_INVALID, AGENT_TRUST_REQUIRED, AGENT_SESSION_LOCKED, AGENT_UNSUPPORTED,
   *   AGENT_START_FAILED
   */
  async open(
    agent: AgentRecord,
    { fresh }: { fresh: boolean },
    listener: DriverListener,
    signal: AbortSignal,
  ): Promise<OpenedSession> {
    const { catalog, trust, locks, clock, startMs } = this.#host;
    const command = await catalog.command(agent.cli);
    const driver = catalog.driver(agent.cli);
    if (!driver) throw errors.AGENT_CLI_MISSING({ cli: agent.cli });
    await checkFolder(agent.cwd);
    const trusted = await trust.check(agent, catalog.trustPaths(agent.cli));
    checkSettings(agent, catalog.capabilities(agent.cli));

    const known = fresh ? null : agent.sessionId;
    // A copy is written to, not what it is made of.
    let lock =
      known === null || agent.fork !== null
        ? undefined
        : await locks.take(agent.cli, known, agent.id);
    const timeout = timeoutSignal(
      clock,
      startMs,
      new Error(`It did not open a conversation in ${startMs} ms.`),
    );
    let session: AgentSession | undefined;
    try {
      const folder = join(this.#host.folder, agent.id);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      session = await driver.open(
        {
          agentId: agent.id,
          cli: agent.cli,
          command,
          cwd: agent.cwd,
          resume: known === null ? null : toResumePoint(agent, known),
          model: agent.model,
          thinking: agent.thinking,
          extraPrompt: agent.extraPrompt,
          readOnly: agent.readOnly,
          trusted,
          folder,
        },
        listener,
        AbortSignal.any([signal, timeout.signal]),
      );
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
      if (isGantryError(error)) throw error;
      if (signal.aborted) throw errors.AGENT_CLOSED({}, { cause: error });
      const reason = error instanceof Error ? error.message : String(error);
      throw errors.AGENT_START_FAILED(
        { cli: agent.cli, reason },
        { cause: error },
      );
    } finally {
      timeout.clear();
    }
  }
}

/** @throws AGENT_FOLDER_INVALID */
export async function checkFolder(path: string): Promise<void> {
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) throw errors.AGENT_FOLDER_INVALID({ path });
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

function toResumePoint(
  { resumeKey, reportedCostUsd, fork }: AgentRecord,
  sessionId: string,
): ResumePoint {
  return { sessionId, resumeKey, reportedCostUsd, fork };
}
