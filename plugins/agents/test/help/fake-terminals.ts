import { definePlugin, type PluginContext } from "@gantry/plugin";
import {
  TerminalExited,
  TerminalHost,
  type TerminalScreen,
} from "@gantry/plugin-terminals/contract";

type Opening = Parameters<TerminalHost["open"]>[0];

/** Terminals without processes: a test sees what was opened and pasted, and ends programs. */
export class FakeTerminals {
  readonly opened: Opening[] = [];
  readonly pasted: string[] = [];
  readonly #running = new Map<string, Opening>();
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

  /** The program in a terminal ends by itself. */
  async end(id: string): Promise<void> {
    const opening = this.#running.get(id);
    if (!opening) throw new Error(`No program runs in ${id}.`);
    this.#running.delete(id);
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

  /** The program in a terminal ends while nobody looks, as the host of all terminals may. */
  lose(id: string): void {
    this.#running.delete(id);
  }

  readonly #host: TerminalHost = {
    open: async (input) => {
      const terminalId = `trm_${this.opened.push(input)}`;
      this.#running.set(terminalId, input);
      // A process that outlives the test's daemon, as the one of a terminal does.
      return { terminalId, pid: process.ppid, incarnation: `${terminalId}-1` };
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
        pid: process.ppid,
        state: "running",
        exitCode: null,
      };
      return screen;
    },
    close: async ({ id }) => void this.#running.delete(id),
    paste: async ({ id, incarnation, text }) => {
      if (!this.#running.has(id) || incarnation !== `${id}-1`)
        throw new Error("Its program has ended.");
      this.pasted.push(text);
    },
  };
}
