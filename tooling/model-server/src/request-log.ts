import type { Usage } from "./script.ts";
import type { ToolCall } from "./tool-call.ts";
import type { WireName } from "./wires/wire.ts";

/** The result of a request. `client-gone` is an abort by the client. */
export type Outcome =
  "pending" | "answered" | "client-gone" | "error" | "dropped";

/** One request for an answer of the model, as the test sees it. It changes while it is answered. */
export interface ModelRequest {
  wire: WireName;
  model: string;
  stream: boolean;
  /** The key that the client sent, whatever it was. */
  key: string;
  /** What the user said last. */
  prompt: string;
  system: string;
  /** True for a request of the CLI's own, such as one for a title. */
  side: boolean;
  /** Names of the tools that were offered. */
  tools: string[];
  /** What the last tool answered. */
  toolResult: string | undefined;
  /** Which response to the prompt this is: 0 for the first, 1 for the one after the first tool call. */
  step: number;
  outcome: Outcome;
  /** Name of the gate at which it waits. */
  gate: string | undefined;
  /** What was sent so far. */
  text: string;
  calls: ToolCall[];
  usage: Usage | undefined;
  /** HTTP status, 0 before there is one. */
  status: number;
}

/** The requests in order of arrival, and a way to wait for one. */
export class RequestLog {
  readonly entries: ModelRequest[] = [];
  readonly #watchers = new Set<() => void>();

  add(entry: ModelRequest): void {
    this.entries.push(entry);
    this.changed();
  }

  /** To be called after each change of an entry. */
  changed(): void {
    for (const watcher of this.#watchers) watcher();
  }

  /** Resolves with the first entry, of now or later, that fits. Rejects with the signal's reason. */
  find(
    fits: (request: ModelRequest) => boolean,
    signal: AbortSignal,
  ): Promise<ModelRequest> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = this.entries.find(fits);
        if (!found) return;
        this.#watchers.delete(look);
        resolve(found);
      };
      signal.addEventListener("abort", () => {
        this.#watchers.delete(look);
        reject(signal.reason as Error);
      });
      this.#watchers.add(look);
      look();
    });
  }
}
