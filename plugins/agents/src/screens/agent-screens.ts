import type { Clock, Log } from "@gantry/plugin";
import type { TerminalHost } from "@gantry/plugin-terminals/contract";
import type { AgentBook } from "../agents/agent-book.ts";
import type { CliCatalog } from "../clis/cli-catalog.ts";
import type { CliProcesses } from "../clis/cli-processes.ts";
import type { AgentScreen } from "../driver.ts";
import { errors } from "../errors.ts";
import { AgentJournal } from "../live/agent-journal.ts";
import { toResumed } from "../live/cut-off.ts";
import { endProcessTree } from "../live/end-process-tree.ts";
import type { Fleet } from "../live/fleet.ts";
import { Lanes } from "../live/lanes.ts";
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
  /** Decides what an earlier daemon left undecided of an agent. Rejects with AGENT_CLI_MISSING if that cannot be yet. */
  finishRecovery(agentId: string): Promise<void>;
  /** Terminals, if the plugin that has them is there. */
  terminals: () => TerminalHost | undefined;
  /** Where a program on this machine finds the daemon. */
  localOrigin: string;
  /** Messages may go into the screen. */
  onOpen(agentId: string): void;
  /** The screen is gone: what waits may start the agent. */
  onClosed(agentId: string): void;
}

type OpenedScreen = Awaited<ReturnType<TerminalHost["open"]>>;

/** The conversation that a screen shows. */
type ShownSession = Pick<AgentRecord, "resumeKey"> & { sessionId: string };

const OPENED =
  "The agent was opened in a terminal. What is said there is on the CLI's own screen and not repeated here.";

/** Agents whose CLI shows its own screen in a terminal. A screen outlives the daemon. */
export class AgentScreens {
  readonly #host: AgentScreensHost;
  readonly #locks: ScreenLocks;
  /** What a screen shows and its end are noted one after the other, or a lock would outlive the screen. */
  readonly #notes = new Lanes();
  /** The tools of the screens that this daemon opened, by agent id. Those of earlier screens are gone. */
  readonly #admissions = new Map<string, Admission>();

  constructor(host: AgentScreensHost) {
    this.#host = host;
    this.#locks = new ScreenLocks(host.locks, host.log);
  }

  /**
   * Opens the CLI's own screen on the agent's conversation, and closes the agent as the daemon drives it. Gives the
   * terminal that is open if there is one.
   *
   * @throws AGENT_TERMINALS_MISSING, AGENT_UNSUPPORTED, AGENT_RUNNING, and what keeps an agent from being started
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
   * Opens the CLI's own login in a terminal of its own. What is typed there never passes through the daemon's records.
   * It belongs to the user and not to a project, so it runs in the plugin's own folder, where no project's hooks are.
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

  /** Ends the screen of an agent, with its terminal. Harmless if there is none. */
  async close(agentId: string): Promise<void> {
    const { records, terminals, clock } = this.#host;
    const agent = await records.agents.get(agentId);
    if (agent?.mode !== "terminal") return;
    if (agent.terminalId !== null)
      await terminals()?.close(
        { id: agent.terminalId },
        new AbortController().signal,
      );
    // Without the plugin that has terminals nothing else ends it.
    if (agent.screen?.process)
      await endProcessTree(agent.screen.process, clock);
    await this.#ended(agentId);
  }

  /** The program in a terminal has ended, or the terminal was closed. */
  async exited(terminalId: string, agentId: string): Promise<void> {
    const agent = await this.#host.records.agents.get(agentId);
    if (agent?.terminalId === terminalId)
      await this.#ended(agentId, terminalId);
  }

  /** Takes over the screens that a daemon before this one left open, and closes those whose CLI has ended since. */
  async recover(): Promise<void> {
    for (const agent of await this.#inTerminals()) {
      const { id, screen } = agent;
      const hasEnded = screen?.process && !(await isTreeAlive(screen.process));
      if (hasEnded) await this.#ended(id);
      else await this.#locks.adopt(agent);
    }
  }

  /** Terminals are there again: closes agents whose screen ended meanwhile. */
  async reconcile(terminals: TerminalHost, signal: AbortSignal): Promise<void> {
    for (const agent of await this.#inTerminals()) {
      if ((await this.#find(agent, terminals, signal)) === undefined)
        await this.#ended(agent.id);
      else this.#host.onOpen(agent.id);
    }
  }

  /**
   * The receiver in a screen tells which conversation it shows. The user may have begun another there.
   *
   * @returns whether the screen is still there
   */
  learnSession(agentId: string, session: ShownSession): Promise<boolean> {
    return this.#notes.run(agentId, async () => {
      const agent = await this.#host.book.get(agentId);
      if (agent.mode !== "terminal") return false;
      await this.#noteShown(agent, session);
      return true;
    });
  }

  async #noteShown(agent: AgentRecord, session: ShownSession): Promise<void> {
    const { sessionId, resumeKey } = session;
    if (agent.sessionId === sessionId) return;
    const journal = this.#journal(agent);
    await journal.noteSession(session, agent.sessionId === null);
    await journal.save({
      sessionId,
      resumeKey,
      fork: null,
      // Those of another conversation say nothing of this one.
      reportedCostUsd: null,
      context: null,
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
    // Read now: closing it may have changed the conversation that it is to continue.
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
      await lock?.hand(opened.pid);
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
    // A program may end before its terminal is known here, and then its end is not reported again.
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
    // The user continues there, where the turn that was cut off is visible.
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
        ...(isOther ? { reportedCostUsd: null, context: null } : {}),
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

  /** Notes that the screen is gone: the one in `terminalId` if that is given, and no other. */
  async #ended(agentId: string, terminalId?: string): Promise<void> {
    const { receivers } = this.#host;
    receivers.forget(agentId);
    await this.#notes.run(agentId, () => this.#noteEnd(agentId, terminalId));
    // Again, because a request of the receiver may have been pending while the end was noted.
    receivers.forget(agentId);
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
    // First: once the agent is closed, it may be started.
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
