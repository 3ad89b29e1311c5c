import type { Clock, Log } from "@gantry/plugin";
import type { TerminalHost } from "@gantry/plugin-terminals/contract";
import type { AgentBook } from "../agents/agent-book.ts";
import type { CliCatalog } from "../clis/cli-catalog.ts";
import type { CliProcesses } from "../clis/cli-processes.ts";
import type { AgentScreen } from "@gantry/agent-kit";
import { errors } from "../errors.ts";
import { AgentJournal } from "../live/agent-journal.ts";
import { toResumed } from "../live/cut-off.ts";
import { endProcessTree } from "../live/end-process-tree.ts";
import type { Fleet } from "../live/fleet.ts";
import { KeyedMutex } from "../live/keyed-mutex.ts";
import type { JournalHost } from "../live/live-host.ts";
import { identifyProcess, isTreeAlive } from "../live/process-identity.ts";
import type { SessionLocks } from "../live/session-locks.ts";
import type { SessionOpener } from "../live/session-opener.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { Admission } from "../tool-servers/tool-offers.ts";
import { createReceiverToken, type Receivers } from "./receivers.ts";
import { ScreenLocks } from "./screen-locks.ts";

/** Dependencies of {@link AgentScreens}. */
export interface AgentScreensHost extends JournalHost {
  book: AgentBook;
  catalog: CliCatalog;
  processes: CliProcesses;
  fleet: Fleet;
  opener: SessionOpener;
  locks: SessionLocks;
  receivers: Receivers;
  clock: Clock;
  log: Log;
  /** Completes the recovery of an agent after a crash. Rejects with AGENT_CLI_MISSING while its driver is missing. */
  finishRecovery(agentId: string): Promise<void>;
  /** The terminal service, if the terminals plugin is active. */
  terminals: () => TerminalHost | undefined;
  /** Origin under which a program on this machine reaches the daemon. */
  localOrigin: string;
  /** Called when the screen can take messages. */
  onOpen(agentId: string): void;
  /** Called when the screen has ended, so that queued messages can start the agent. */
  onClosed(agentId: string): void;
}

type OpenedScreen = Awaited<ReturnType<TerminalHost["open"]>>;

/** The conversation that a screen shows. */
type ShownSession = Pick<AgentRecord, "resumeKey"> & { sessionId: string };

const OPENED =
  "The agent was opened in a terminal. Messages there are shown on the CLI's own screen and not repeated here.";

/** Opens and closes the CLIs' own screens in terminals. A screen outlives the daemon. */
export class AgentScreens {
  readonly #host: AgentScreensHost;
  readonly #locks: ScreenLocks;
  /** Serializes changes of a screen's session with its end, so that no lock outlives the screen. */
  readonly #mutex = new KeyedMutex();
  /** The tools of the screens that this daemon opened, by agent id. The tools of earlier screens are revoked. */
  readonly #admissions = new Map<string, Admission>();

  constructor(host: AgentScreensHost) {
    this.#host = host;
    this.#locks = new ScreenLocks(host.locks, host.log);
  }

  /**
   * Closes the agent and opens the CLI's own screen on its conversation. Returns the id of the terminal; that of the
   * existing one if the screen is open already.
   *
   * @throws AGENT_TERMINALS_MISSING, AGENT_UNSUPPORTED, AGENT_RUNNING, and the errors of starting an agent
   */
  async open(agentId: string, signal: AbortSignal): Promise<string> {
    const { book, fleet } = this.#host;
    const { cli } = await book.get(agentId);
    this.#checkCan(cli, "terminal");
    const terminals = this.#terminals();
    if (fleet.isRunning(agentId)) throw errors.AGENT_RUNNING();
    return await fleet.exclusively(agentId, async () => {
      const agent = await book.get(agentId);
      const open = await this.#find(agent, terminals, signal);
      if (open !== undefined) return open;
      if (agent.mode === "terminal") await this.#ended(agentId);
      await fleet.close(agentId, "It was opened in a terminal.");
      return await this.#open(agentId, terminals, signal);
    });
  }

  /**
   * Opens the CLI's own login in a terminal of its own. The daemon does not store what is typed there. It runs in the
   * plugin's own folder, so that it runs no hooks of a project.
   *
   * @throws AGENT_TERMINALS_MISSING, AGENT_UNSUPPORTED, AGENT_CLI_MISSING, AGENT_START_FAILED
   */
  async login(agentId: string, signal: AbortSignal): Promise<string> {
    const { book, catalog, processes } = this.#host;
    const { cli } = await book.get(agentId);
    this.#checkCan(cli, "login");
    this.#terminals();
    const command = await catalog.command(cli);
    const program = catalog.driver(cli)?.login?.(command);
    if (!program) throw errors.AGENT_UNSUPPORTED({ cli, capability: "login" });
    const folder = await processes.checkOwn(catalog.toStart(cli));
    const screen = { name: `Login of ${cli}`, program, agent: null };
    return (await folder.show(screen, signal)).terminalId;
  }

  /** Ends the screen of an agent and its terminal. Does nothing if there is none. */
  async close(agentId: string): Promise<void> {
    const { records, terminals, clock } = this.#host;
    const agent = await records.agents.get(agentId);
    if (agent?.mode !== "terminal") return;
    if (agent.terminalId !== null)
      await terminals()?.close(
        { id: agent.terminalId },
        new AbortController().signal,
      );
    // Without the terminals plugin, nothing else ends the process.
    if (agent.screen?.process)
      await endProcessTree(agent.screen.process, clock);
    await this.#ended(agentId);
  }

  /** Handles the end of a program in a terminal, or of the terminal. */
  async exited(terminalId: string, agentId: string): Promise<void> {
    const agent = await this.#host.records.agents.get(agentId);
    if (agent?.terminalId === terminalId)
      await this.#ended(agentId, terminalId);
  }

  /** Takes over the screens that an earlier daemon opened, and closes those whose CLI has ended since. */
  async recover(): Promise<void> {
    for (const agent of await this.#inTerminals()) {
      const { id, screen } = agent;
      const hasEnded = screen?.process && !(await isTreeAlive(screen.process));
      if (hasEnded) await this.#ended(id);
      else await this.#locks.adopt(agent);
    }
  }

  /** Closes agents whose screen ended while the terminal service was unavailable. */
  async reconcile(terminals: TerminalHost, signal: AbortSignal): Promise<void> {
    for (const agent of await this.#inTerminals()) {
      if ((await this.#find(agent, terminals, signal)) === undefined)
        await this.#ended(agent.id);
      else this.#host.onOpen(agent.id);
    }
  }

  /** Stores which session a screen shows, as its receiver reports it; the user may have started another one there. */
  learnSession(agentId: string, session: ShownSession): Promise<void> {
    return this.#mutex.run(agentId, () => this.#noteShown(agentId, session));
  }

  async #noteShown(agentId: string, session: ShownSession): Promise<void> {
    const agent = await this.#host.book.get(agentId);
    const { sessionId, resumeKey } = session;
    if (agent.mode !== "terminal" || agent.sessionId === sessionId) return;
    const journal = this.#journal(agent);
    await journal.noteSession(session, agent.sessionId === null);
    await journal.save({
      sessionId,
      resumeKey,
      fork: null,
      // The running total belongs to one conversation.
      reportedCostUsd: null,
    });
    await this.#locks.follow(agent, sessionId);
  }

  async #open(
    agentId: string,
    terminals: TerminalHost,
    signal: AbortSignal,
  ): Promise<string> {
    const { book, opener, localOrigin, onOpen } = this.#host;
    await this.#host.finishRecovery(agentId);
    // Read only now, since closing the agent may have changed its session.
    const agent = await book.get(agentId);
    const { name } = agent;
    const { token, hash } = createReceiverToken();
    const url = `${localOrigin}/api/agents/${agentId}`;
    const { screen, lock, admission, show } = await opener.openScreen(
      agent,
      { url, token },
      signal,
    );
    this.#admissions.set(agentId, admission);
    let opened: OpenedScreen | undefined;
    try {
      opened = await show(
        { name, program: screen, agent: { id: agentId, name } },
        signal,
      );
      await lock?.assignTo(opened.pid);
      await this.#noteOpened(agent, screen, opened, hash);
    } catch (error) {
      if (opened)
        await terminals
          .close({ id: opened.terminalId }, new AbortController().signal)
          .catch(() => undefined);
      this.#endAdmission(agentId);
      await lock?.release();
      throw error;
    }
    const shown = screen.session?.sessionId ?? agent.sessionId;
    if (lock && shown !== null) this.#locks.keep(agentId, shown, lock);
    const { terminalId } = opened;
    // The program may have ended before its terminal was stored, and its end is reported only once.
    const open = await this.#find(await book.get(agentId), terminals, signal);
    if (open === terminalId) onOpen(agentId);
    else await this.#ended(agentId);
    return terminalId;
  }

  async #noteOpened(
    agent: AgentRecord,
    { session }: AgentScreen,
    { terminalId, incarnation, pid }: OpenedScreen,
    tokenHash: string,
  ): Promise<void> {
    const isOther = session && session.sessionId !== agent.sessionId;
    const journal = this.#journal(agent);
    if (isOther) await journal.noteSession(session, agent.fork === null);
    await journal.notice(OPENED);
    // The user continues on the screen, which shows the cut-off turn.
    const { fields, events } = toResumed(agent);
    const screen = {
      ...{ incarnation, tokenHash },
      process: await identifyProcess(pid),
    };
    await journal.save(
      {
        ...fields,
        state: "open",
        mode: "terminal",
        activity: "idle",
        terminalId,
        screen,
        ...(session ? { ...session, fork: null } : {}),
        ...(isOther ? { reportedCostUsd: null } : {}),
      },
      { events },
    );
  }

  async #inTerminals(): Promise<AgentRecord[]> {
    const { items } = await this.#host.records.agents.list({
      index: "open",
      limit: 500,
      filter: ({ mode }) => mode === "terminal",
    });
    return items;
  }

  /** The terminal of an agent, if its program still runs. */
  async #find(
    { mode, terminalId: id }: AgentRecord,
    terminals: TerminalHost,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    if (mode !== "terminal" || id === null) return undefined;
    const screen = await terminals.describe({ id }, signal);
    return screen?.state === "running" ? id : undefined;
  }

  /** Stores that the screen has ended. With `terminalId`, only if the screen is in that terminal. */
  async #ended(agentId: string, terminalId?: string): Promise<void> {
    this.#host.receivers.forget(agentId);
    await this.#mutex.run(agentId, () => this.#noteEnd(agentId, terminalId));
    this.#host.onClosed(agentId);
  }

  async #noteEnd(
    agentId: string,
    terminalId: string | undefined,
  ): Promise<void> {
    const { records } = this.#host;
    const agent = await records.agents.get(agentId);
    if (terminalId !== undefined && agent?.terminalId !== terminalId) return;
    this.#endAdmission(agentId);
    // Before the agent is stored as closed, because it can be started then.
    await this.#locks.release(agentId);
    if (agent?.mode !== "terminal") return;
    const closed = { state: "closed", mode: null, activity: "idle" } as const;
    const screen = { terminalId: null, screen: null };
    await this.#journal(agent).save({ ...closed, ...screen });
  }

  #endAdmission(agentId: string): void {
    this.#admissions.get(agentId)?.end();
    this.#admissions.delete(agentId);
  }

  #journal(agent: AgentRecord): AgentJournal {
    return new AgentJournal(this.#host, agent);
  }

  #terminals(): TerminalHost {
    const terminals = this.#host.terminals();
    if (!terminals) throw errors.AGENT_TERMINALS_MISSING();
    return terminals;
  }

  #checkCan(cli: string, capability: "terminal" | "login"): void {
    if (!this.#host.catalog.capabilities(cli)[capability])
      throw errors.AGENT_UNSUPPORTED({ cli, capability });
  }
}
