import {
  createToolServer,
  readToolCalls,
  type ToolCall,
} from "./tool-server.ts";
import { join } from "node:path";
import { definePlugin, type PluginDefinition } from "@gantry/plugin";
import {
  AgentTools,
  type ToolOffer,
  type ToolServer,
} from "../../src/contract.ts";

/** A session that was admitted. */
export interface AdmittedSession {
  agentId: string;
  sessionId: string;
  key: string;
  signal: AbortSignal;
}

/** A plugin that offers a tool server of its own, and records the sessions that it admitted. */
export class ToolPlugin {
  readonly admitted: AdmittedSession[] = [];
  readonly name: string;
  /** File in which the server records calls. */
  readonly calls: string;
  readonly #prefix: string;
  #service: AgentTools | undefined;
  /** How long the server takes to start. */
  startMs = 0;
  /** Answers in place of the server. */
  answer: ToolOffer["admit"] | undefined;

  constructor(folder: string, name = "bench-tools", prefix = "") {
    this.name = name;
    this.#prefix = prefix;
    this.calls = join(folder, `${name}.jsonl`);
  }

  get plugin(): PluginDefinition {
    return definePlugin({
      id: this.name,
      api: 1,
      summary: "Offers tools",
      mounts: [],
      needs: { tools: AgentTools },
      setup: async ({ needs, signal }) => {
        this.#service = needs.tools;
        await needs.tools.offer(this.offer, signal);
      },
    });
  }

  get offer(): ToolOffer {
    return {
      name: this.name,
      admit: async (input, signal) => {
        if (this.answer) return await this.answer(input, signal);
        const key = `key-${this.admitted.length}-of-${this.name}`;
        this.admitted.push({ ...input, key, signal });
        return this.server(key);
      },
    };
  }

  /** Makes an agent request its tools again. */
  async renew(agentId: string): Promise<void> {
    await this.#service?.renew({ agentId }, new AbortController().signal);
  }

  server(key: string): ToolServer {
    const { name, startMs } = this;
    const options = { name, startMs, prefix: this.#prefix };
    return createToolServer(this.calls, key, options);
  }

  /** What the server was called with so far. */
  get called(): ToolCall[] {
    return readToolCalls(this.calls);
  }
}
