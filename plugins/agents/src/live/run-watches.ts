import type { UnattendedPolicy } from "../contract.ts";
import type { AgentUsage } from "../agent-usage.ts";

/** An unattended run of an agent: what it decides, and what it is informed of. */
export interface RunWatch {
  permissions: UnattendedPolicy;
  /** A report of spending in the run's turn so far. */
  onUsage(usage: AgentUsage): void;
  /** A question was answered by the policy. */
  onAsked(title: string, isAllowed: boolean): void;
}

/** The active runs, by their ids. */
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
