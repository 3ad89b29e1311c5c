import { definePlugin } from "@gantry/plugin";
import {
  AgentDrivers,
  NO_CAPABILITIES,
  type AgentDriver,
  type AgentSession,
  type OpenSession,
} from "@gantry/agent-kit";
import type { Clis } from "./agents-kernel.ts";

/** A driver without processes. A test controls when its agents end. */
export class TameDriver {
  /** How each conversation was opened, in order. */
  readonly opened: OpenSession[] = [];
  /** Prompts that agents received, in order. */
  readonly received: string[] = [];
  /** Agents that are ending, with the callback that ends each. */
  readonly ending: (() => void)[] = [];
  /** Agents end at once while this is false. */
  holdsEnds = false;
  readonly clis: Clis = {
    tame: { driver: "tame", command: process.execPath },
  };

  readonly #capabilities: AgentDriver["capabilities"];
  readonly #driver: AgentDriver;

  constructor(more: Partial<AgentDriver["capabilities"]> = {}) {
    const known = { ...NO_CAPABILITIES, resume: true, model: true };
    this.#capabilities = { ...known, ...more };
    this.#driver = this.#createDriver();
  }

  readonly plugin = definePlugin({
    id: "tame",
    api: 1,
    summary: "Brings a driver",
    mounts: [],
    needs: { drivers: AgentDrivers },
    setup: (ctx) => ctx.needs.drivers.add({ driver: this.#driver }, ctx.signal),
  });

  /** Ends all agents that are ending. */
  release(): void {
    this.holdsEnds = false;
    for (const end of this.ending.splice(0)) end();
  }

  #createDriver(): AgentDriver {
    const capabilities = this.#capabilities;
    return {
      name: "tame",
      capabilities,
      trustPaths: [],
      open: async (input, listener) => {
        this.opened.push(input);
        let gone = () => undefined as void;
        const ended: AgentSession["ended"] = new Promise((resolve) => {
          gone = () => resolve({ reason: "exit", message: "It was closed." });
        });
        const end = async () => {
          if (this.holdsEnds) this.ending.push(gone);
          else gone();
          await ended;
        };
        return {
          sessionId: input.resume?.sessionId ?? `tame-${input.agentId}`,
          resumeKey: null,
          capabilities,
          version: "1.0.0",
          pid: null,
          ended,
          prompt: async ({ text, turn }) => {
            this.received.push(text);
            const end = {
              stopReason: "end",
              answer: text,
              error: null,
            } as const;
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
}
