import type { Clock } from "@gantry/plugin";
import * as z from "zod";
import { raceAbort, timeoutSignal } from "../../abort.ts";
import { MAX_TOOL_START_MS } from "../../tool-servers/tool-environment.ts";

const METHOD = "mcpServer/startupStatus/updated";

const startupStatus = z.object({ name: z.string(), status: z.string() });

/**
 * Waits for the tool servers of a thread: Codex starts a turn without the tools of servers that have not started yet.
 */
export class CodexToolStarts {
  readonly #starting: Set<string>;
  readonly #settled: Promise<void>;
  #settle = () => {};

  /** @param names The thread's servers. */
  constructor(names: readonly string[]) {
    this.#starting = new Set(names);
    this.#settled = new Promise((resolve) => (this.#settle = resolve));
    this.#check();
  }

  /** Handles a notification; those of other methods are ignored. */
  take(method: string, params: unknown): void {
    if (method !== METHOD) return;
    const report = startupStatus.safeParse(params).data;
    if (!report || report.status === "starting") return;
    this.#starting.delete(report.name);
    this.#check();
  }

  /**
   * Resolves when each server has started or failed, or after a timeout: the conversation is useful without them too.
   * Rejects with the reason of `signal`.
   */
  async wait(clock: Pick<Clock, "after">, signal: AbortSignal): Promise<void> {
    const late = new Error("The tool servers start slowly.");
    const timeout = timeoutSignal(clock, MAX_TOOL_START_MS, late);
    const anyEnd = AbortSignal.any([signal, timeout.signal]);
    try {
      await raceAbort(this.#settled, anyEnd);
    } catch (error) {
      if (error !== late) throw error;
    } finally {
      timeout.clear();
    }
  }

  #check(): void {
    if (this.#starting.size === 0) this.#settle();
  }
}
