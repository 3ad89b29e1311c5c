import { definePlugin, type PluginContext } from "@gantry/plugin";
import {
  TerminalExited,
  TerminalHost,
  type TerminalScreen,
} from "@gantry/plugin-terminals/contract";
import { startSleeper, type Sleeper } from "./sleeper.ts";

type Opening = Parameters<TerminalHost["open"]>[0];

/** Terminals whose programs only sleep: a test sees what was opened and pasted, and ends programs. */
export class FakeTerminals {
  readonly opened: Opening[] = [];
  readonly pasted: string[] = [];
  /** Programs end before their terminal is known to who opened it. */
  endsAtOnce = false;
  readonly #running = new Map<string, Opening>();
  readonly #programs = new Map<string, Sleeper>();
  #ctx: PluginContext | undefined;

  readonly plugin = definePlugin({
    id: "fake-terminals",
    api: 1,
    summary: "Pretends to have terminals",
    mounts: [],
    provides: [TerminalHost],
    events: [TerminalExited],
    setup: (ctx) => {
      this.#ctx = ctx as PluginContext;
      ctx.provide(TerminalHost, this.#host);
    },
  });

  get running(): string[] {
    return [...this.#running.keys()];
  }

  /** Ids of the processes that run in terminals. */
  get pids(): number[] {
    return [...this.#programs.values()].map(({ pid }) => pid);
  }

  /** Ends all programs, at the end of a test. */
  async stop(): Promise<void> {
    for (const id of this.#programs.keys()) await this.#endProgram(id);
  }

  /** The program in a terminal ends by itself. */
  async end(id: string): Promise<void> {
    const opening = this.#take(id);
    await this.#endProgram(id);
    await this.#tellExit(id, opening);
  }

  /** The terminal is gone, and its program lives on. */
  async loseSight(id: string): Promise<void> {
    await this.#tellExit(id, this.#take(id));
  }

  #take(id: string): Opening {
    const opening = this.#running.get(id);
    if (!opening) throw new Error(`No program runs in ${id}.`);
    this.#running.delete(id);
    return opening;
  }

  async #tellExit(id: string, opening: Opening): Promise<void> {
    const { name, cwd, cli, agent } = opening;
    await this.#ctx?.emit(
      TerminalExited.of(id, {
        ...{ name, cwd, cli, agent },
        kind: "cli",
        exitCode: 0,
        signal: null,
      }),
    );
  }

  /** Ends the program in a terminal without an event, as a crash of the terminals' host may. */
  async lose(id: string): Promise<void> {
    await this.#endProgram(id);
  }

  async #endProgram(id: string): Promise<void> {
    this.#running.delete(id);
    const program = this.#programs.get(id);
    this.#programs.delete(id);
    await program?.end();
  }

  readonly #host: TerminalHost = {
    open: async (input) => {
      const terminalId = `trm_${this.opened.push(input)}`;
      const program = startSleeper(undefined, { isTests: false });
      this.#running.set(terminalId, input);
      this.#programs.set(terminalId, program);
      const { pid } = program;
      if (this.endsAtOnce) await this.end(terminalId);
      return { terminalId, pid, incarnation: `${terminalId}-1` };
    },
    describe: async ({ id }) => {
      const opening = this.#running.get(id);
      if (!opening) return null;
      const { name, cwd, cli } = opening;
      const screen: TerminalScreen = {
        ...{ id, name, cwd, cli },
        kind: "cli",
        agent: opening.agent?.name ?? null,
        atPrompt: false,
        incarnation: `${id}-1`,
        pid: this.#programs.get(id)?.pid ?? null,
        state: "running",
        exitCode: null,
      };
      return screen;
    },
    find: () => Promise.resolve(null),
    close: ({ id }) => this.#endProgram(id),
    paste: async ({ id, incarnation, text }) => {
      if (!this.#running.has(id) || incarnation !== `${id}-1`)
        throw new Error("Its program has ended.");
      this.pasted.push(text);
    },
  };
}
