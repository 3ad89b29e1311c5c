import { definePlugin, type PluginDefinition } from "@gantry/plugin";
import { AgentDrivers } from "../src/agent-drivers.ts";
import type { AgentSession } from "../src/agent-session.ts";
import { NO_CAPABILITIES } from "../src/capabilities.ts";
import type { DialogAnswer } from "../src/driver-dialog.ts";
import type { DriverEvent, DriverListener } from "../src/driver-events.ts";
import type { AgentDriver } from "../src/driver.ts";
import type { OpenSession } from "../src/open-session.ts";

const capabilities = {
  ...NO_CAPABILITIES,
  ...{ resume: true, steer: true, images: true },
};

/** A prompt that was written to the CLI's input. */
interface Written {
  text: string;
  turn: string;
  isConfirmed: boolean;
  confirm: () => void;
}

/** The process of a CLI, as seen by a test. */
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
 * A CLI without processes, controlled step by step by a test: when it reads a prompt, confirms it, works and ends its
 * turn. Prompts that it has read stay in its conversation, whatever happens to it.
 */
export class ScriptedCli {
  /** Prompts in its conversation. */
  readonly seen: string[] = [];
  /** Messages that it received during a turn. */
  readonly steered: string[] = [];
  /** Answers to its questions. */
  readonly answers: DialogAnswer[] = [];
  /** Whether it reads, confirms and answers each prompt at once. */
  isWilling = false;
  /** How often its record was read. */
  lookups = 0;
  /** Whether its record can be read. */
  readonly isReadable: boolean;
  readonly clis = {
    scripted: { driver: "scripted", command: process.execPath },
  };
  #process: ScriptedProcess | undefined;
  /** Turns that have ended. */
  readonly #over: string[] = [];

  constructor({ isReadable }: { isReadable: boolean }) {
    this.isReadable = isReadable;
  }

  /** A plugin that adds the driver, for one daemon. */
  plugin(): PluginDefinition {
    const driver = this.#driver();
    return definePlugin({
      id: "scripted",
      api: 1,
      summary: "Brings a driver",
      mounts: [],
      needs: { drivers: AgentDrivers },
      setup: (ctx) => {
        // Registered until all agents have ended.
        const { signal } = new AbortController();
        return ctx.needs.drivers.add({ driver }, signal);
      },
    });
  }

  /** Simulates that the process dies together with the daemon, which learns nothing of it. */
  crash(): void {
    this.#process = undefined;
  }

  /** Reads the prompt that waits in its input, and records it. */
  read(): void {
    const { prompt, isRecorded } = this.#process ?? {};
    if (!prompt || isRecorded) return;
    this.#process!.isRecorded = true;
    this.seen.push(prompt.text);
  }

  /** Confirms the prompt, but records it only with its first output, as some CLIs do. */
  promise(): void {
    const prompt = this.#process?.prompt;
    if (!prompt) return;
    prompt.isConfirmed = true;
    prompt.confirm();
  }

  /** Confirms a recorded prompt. */
  confirm(): void {
    this.read();
    this.promise();
  }

  /** Emits text, which also confirms the prompt. */
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
    // The turn may have been ended meanwhile.
    running.prompt = undefined;
    running.isRecorded = false;
    this.#over.push(prompt.turn);
    await this.#endTurn(prompt.turn);
  }

  /** Whether a prompt was written to its input and not answered. */
  get hasPrompt(): boolean {
    return this.#process?.prompt !== undefined;
  }

  /** Ends an ended turn once more. */
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

  /** Reports spending of the running turn. */
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
