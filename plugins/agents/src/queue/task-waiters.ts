import { errors } from "../errors.ts";
import type { TurnOutcome } from "../live/turn.ts";
import { NO_USAGE } from "../live/usage.ts";
import type { TaskRecord } from "../records/task-record.ts";

interface Waiter {
  agentId: string;
  resolve: (outcome: TurnOutcome) => void;
  reject: (error: Error) => void;
}

/** Callers that wait for the ends of turns that tasks begin. */
export class TaskWaiters {
  readonly #waiting = new Map<string, Waiter>();

  /** Resolves with the end of the task's turn. Rejects if the agent is closed before. Ask before it can be sent. */
  outcomeOf({ id, agentId }: TaskRecord): Promise<TurnOutcome> {
    return new Promise((resolve, reject) =>
      this.#waiting.set(id, { agentId, resolve, reject }),
    );
  }

  /** Stops waiting for the end of a task. */
  forget(taskId: string): void {
    this.#waiting.delete(taskId);
  }

  settle(taskId: string, outcome: TurnOutcome): void {
    this.#waiting.get(taskId)?.resolve(outcome);
    this.forget(taskId);
  }

  /** The task came to its end without a turn. */
  settleEarly(
    taskId: string,
    end: Pick<TurnOutcome, "stopReason" | "error">,
  ): void {
    const nothing = { answer: "", usage: NO_USAGE, sessionId: null };
    this.settle(taskId, { ...end, ...nothing });
  }

  /** The agent was closed: what was not sent will not be for now. */
  closed(agentId: string): void {
    this.failed(agentId, errors.AGENT_CLOSED());
  }

  /** What was not sent to the agent will not be for now, for this reason. */
  failed(agentId: string, error: Error): void {
    for (const [taskId, waiter] of this.#waiting) {
      if (waiter.agentId !== agentId) continue;
      this.forget(taskId);
      waiter.reject(error);
    }
  }
}
