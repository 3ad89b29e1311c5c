import { definePlugin } from "@gantry/plugin";
import {
  AgentDrivers,
  NO_CAPABILITIES,
  type AgentDriver,
  type AgentSession,
  type OpenSession,
} from "../../src/contract.ts";
import type { Clis } from "./agents-kernel.ts";

/** A driver without processes, of which a test decides how long an agent takes to end. */
export class TameDriver {
  /** How each conversation was opened, in order. */
  readonly opened: OpenSession[] = [];
  /** Prompts that an agent was given, in order. */
  readonly heard: string[] = [];
  /** Agents that are to end and have not ended, with what lets them. */
  readonly ending: (() => void)[] = [];
  /** Agents end at once while this is false. */
  holdsEnds = false;
  readonly #capabilities = { ...NO_CAPABILITIES, resume: true, model: true };

  /** @param more Its capabilities beside resuming a conversation and choosing a model. */
  constructor(more: Partial<AgentDriver["capabilities"]> = {}) {
    Object.assign(this.#capabilities, more);
  }

  readonly clis: Clis = {
    tame: { driver: "tame", command: process.execPath },
  };

  readonly plugin = definePlugin({
    id: "tame",
    api: 1,
    summary: "Brings a driver",
    mounts: [],
    needs: { drivers: AgentDrivers },
    setup: (ctx) => ctx.needs.drivers.add(this.#driver, ctx.signal),
  });

  /** Lets everything end that is to end. */
  release(): void {
    this.holdsEnds = false;
    for (const end of this.ending.splice(0)) end();
  }

  readonly #driver: AgentDriver = {
    name: "tame",
    capabilities: this.#capabilities,
    trustPaths: [],
    open: async (input, listener) => {
      this.opened.push(input);
      let gone = () => undefined as void;
      const ended: AgentSession["ended"] = new Promise((resolve) => {
        gone = () => resolve({ reason: "exit", message: "It was told to." });
      });
      const end = async () => {
        if (this.holdsEnds) this.ending.push(gone);
        else gone();
        await ended;
      };
      return {
        sessionId: input.resume?.sessionId ?? `tame-${input.agentId}`,
        resumeKey: null,
        capabilities: this.#capabilities,
        version: "1.0.0",
        pid: null,
        ended,
        prompt: async ({ text, turn }) => {
          this.heard.push(text);
          const end = { stopReason: "end", answer: text, error: null } as const;
          void (async () => {
            await listener({ type: "message", turn, channel: "text", text });
            await listener({ type: "turn-ended", turn, ...end });
          })();
        },
        steer: () => Promise.reject(new Error("It cannot be steered.")),
        abort: async () => undefined,
        answer: async () => undefined,
        end,
        kill: end,
      };
    },
  };
}
