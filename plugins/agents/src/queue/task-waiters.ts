import { errors } from "../errors.ts";
import type { TurnOutcome } from "../live/turn.ts";
import { NO_USAGE } from "@gantry/agent-kit";
import type { TaskRecord } from "../records/task-record.ts";

interface Waiter {
  agentId: string;
  resolve: (outcome: TurnOutcome) => void;
  reject: (error: Error) => void;
}

/** Lets callers wait for the end of the turn that a task begins. */
export class TaskWaiters {
  readonly #waiting = new Map<string, Waiter>();

  /** Resolves with the end of the task's turn. Rejects if the agent is closed before. Call it before the task can be sent. */
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

  /** Settles the waiter of a task that ended without a turn. */
  settleEarly(
    taskId: string,
    end: Pick<TurnOutcome, "stopReason" | "error">,
  ): void {
    const nothing = { answer: "", usage: NO_USAGE, sessionId: null };
    this.settle(taskId, { ...end, ...nothing });
  }

  /** Rejects the waiters of an agent that was closed. */
  closed(agentId: string): void {
    this.failed(agentId, errors.AGENT_CLOSED());
  }

  /** Rejects the waiters of an agent, since their messages will not be sent for now. */
  failed(agentId: string, error: Error): void {
    for (const [taskId, waiter] of this.#waiting) {
      if (waiter.agentId !== agentId) continue;
      this.forget(taskId);
      waiter.reject(error);
    }
  }
}
