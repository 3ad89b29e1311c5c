import type { AgentUsage, UnattendedPolicy } from "../contract.ts";

/** The permission policy of a run in progress, and its listeners. */
export interface RunWatch {
  permissions: UnattendedPolicy;
  /** Called with the usage of the run's turn so far. */
  onUsage(usage: AgentUsage): void;
  /** Called when the policy has answered a question. */
  onAsked(title: string, isAllowed: boolean): void;
}

/** The watches of the runs in progress, by run id. */
export class RunWatches {
  readonly #watches = new Map<string, RunWatch>();

  add(runId: string, watch: RunWatch): () => void {
    this.#watches.set(runId, watch);
    return () => this.#watches.delete(runId);
  }

  of(runId: string | null | undefined): RunWatch | undefined {
    return runId ? this.#watches.get(runId) : undefined;
  }
}
