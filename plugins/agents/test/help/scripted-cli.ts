import { definePlugin, type PluginDefinition } from "@gantry/plugin";
import {
  AgentDrivers,
  NO_CAPABILITIES,
  type AgentDriver,
  type AgentSession,
  type DialogAnswer,
  type DriverEvent,
  type DriverListener,
  type OpenSession,
} from "../../src/contract.ts";
import type { Clis } from "./agents-kernel.ts";

const capabilities = {
  ...NO_CAPABILITIES,
  ...{ resume: true, steer: true, images: true },
};

/** A prompt that was written into the CLI's input. */
interface Written {
  text: string;
  turn: string;
  isConfirmed: boolean;
  confirm: () => void;
}

/** The process of a CLI, as a test has it. */
class ScriptedProcess {
  readonly listener: DriverListener;
  prompt: Written | undefined;
  isRecorded = false;
  isGone = false;
  end!: () => void;

  constructor(listener: DriverListener) {
    this.listener = listener;
  }
}

/**
 * A CLI without processes, of which a test decides each step: when it reads a prompt, when it confirms it, when it works
 * and when it ends its turn. What it has read stays in its conversation in any case.
 */
export class ScriptedCli {
  /** What its conversation holds. */
  readonly seen: string[] = [];
  /** Messages that it took within a turn. */
  readonly steered: string[] = [];
  /** How its questions were answered. */
  readonly answers: DialogAnswer[] = [];
  /** It reads, confirms and answers each prompt at once. */
  isWilling = false;
  /** How often its record was read. */
  lookups = 0;
  /** Its record can be read. */
  readonly isReadable: boolean;
  readonly clis: Clis = {
    scripted: { driver: "scripted", command: process.execPath },
  };
  #process: ScriptedProcess | undefined;
  /** Turns that are over. */
  readonly #over: string[] = [];

  constructor({ isReadable }: { isReadable: boolean }) {
    this.isReadable = isReadable;
  }

  /** A plugin that brings the driver, for one daemon. */
  plugin(): PluginDefinition {
    const driver = this.#driver();
    return definePlugin({
      id: "scripted",
      api: 1,
      summary: "Brings a driver",
      mounts: [],
      needs: { drivers: AgentDrivers },
      setup(ctx) {
        // Like the agents plugin's own drivers, it is there until all agents are ended.
        const { signal } = new AbortController();
        return ctx.needs.drivers.add(driver, signal);
      },
    });
  }

  /** The process dies together with the daemon, which learns nothing of it any more. */
  crash(): void {
    this.#process = undefined;
  }

  /** Reads the prompt that waits in its input, and writes it down. */
  read(): void {
    const { prompt, isRecorded } = this.#process ?? {};
    if (!prompt || isRecorded) return;
    this.#process!.isRecorded = true;
    this.seen.push(prompt.text);
  }

  /** Says that it has the prompt, and writes it down only with its first work, as some do. */
  promise(): void {
    const prompt = this.#process?.prompt;
    if (!prompt) return;
    prompt.isConfirmed = true;
    prompt.confirm();
  }

  /** Says that it has the prompt, which is written down. */
  confirm(): void {
    this.read();
    this.promise();
  }

  /** Says something, by which it has the prompt too. */
  async work(): Promise<void> {
    this.confirm();
    const turn = this.#process?.prompt?.turn;
    if (turn === undefined) return;
    await this.#tell({ type: "message", turn, channel: "text", text: "…" });
  }

  async finish(): Promise<void> {
    const running = this.#process;
    const prompt = running?.prompt;
    if (!running || !prompt) return;
    await this.work();
    // It may have been ended meanwhile.
    running.prompt = undefined;
    running.isRecorded = false;
    this.#over.push(prompt.turn);
    await this.#endTurn(prompt.turn);
  }

  /** Whether a prompt was written into its input and is not answered. */
  get hasPrompt(): boolean {
    return this.#process?.prompt !== undefined;
  }

  /** Ends a turn that is over once more. */
  async endLate(): Promise<void> {
    await this.#late((turn) => this.#endTurn(turn));
  }

  async startLate(): Promise<void> {
    await this.#late((turn) => this.#tell({ type: "turn-started", turn }));
  }

  async sayLate(text: string): Promise<void> {
    await this.#late((turn) =>
      this.#tell({ type: "message", turn, channel: "text", text }),
    );
  }

  /** Reports spending of the turn that runs. */
  async spend(costUsd: number): Promise<void> {
    const turn = this.#process?.prompt?.turn;
    if (turn !== undefined) await this.#spend(turn, costUsd);
  }

  async spendLate(costUsd: number): Promise<void> {
    await this.#late((turn) => this.#spend(turn, costUsd));
  }

  async askLate(title: string): Promise<void> {
    await this.#late((turn) =>
      this.#tell({
        type: "dialog-opened",
        turn,
        dialog: {
          ...{ id: "late", kind: "permission", title, body: "", tool: null },
          ...{ options: [], takesText: false },
        },
      }),
    );
  }

  async #late(tell: (turn: string) => Promise<void>): Promise<void> {
    const turn = this.#over.at(-1);
    if (turn !== undefined) await tell(turn);
  }

  #spend(turn: string, costUsd: number): Promise<void> {
    const usage = { inputTokens: null, outputTokens: null, costUsd };
    return this.#tell({ type: "usage", turn, usage, reportedCostUsd: null });
  }

  #endTurn(turn: string): Promise<void> {
    const end = { stopReason: "end", answer: turn, error: null } as const;
    return this.#tell({ type: "turn-ended", turn, ...end });
  }

  async #tell(event: DriverEvent): Promise<void> {
    await this.#process?.listener(event);
  }

  #driver(): AgentDriver {
    return {
      name: "scripted",
      capabilities,
      trustPaths: [],
      open: async (input, listener) => this.#open(input, listener),
      ...(this.isReadable && {
        holdsPrompt: async ({ text }) => {
          this.lookups += 1;
          return this.seen.includes(text);
        },
      }),
    };
  }

  #open({ agentId }: OpenSession, listener: DriverListener): AgentSession {
    const running = new ScriptedProcess(listener);
    this.#process = running;
    const ended: AgentSession["ended"] = new Promise((resolve) => {
      running.end = () => resolve({ reason: "exit", message: "It was ended." });
    });
    const end = async () => {
      running.isGone = true;
      if (this.#process === running) this.#process = undefined;
      running.end();
    };
    return {
      sessionId: `scripted-${agentId}`,
      resumeKey: null,
      capabilities,
      version: "1.0.0",
      pid: null,
      ended,
      prompt: async ({ text, turn }) => {
        if (running.isGone) throw new Error("It has ended.");
        await new Promise<void>((confirm) => {
          running.prompt = { text, turn, isConfirmed: false, confirm };
          if (this.isWilling && this.#process === running) void this.finish();
        });
      },
      steer: async ({ text }) => void this.steered.push(text),
      abort: async () => undefined,
      answer: async (_dialogId, answer) => void this.answers.push(answer),
      end,
      kill: end,
    };
  }
}
