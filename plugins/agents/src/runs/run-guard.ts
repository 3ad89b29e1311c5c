import { describeError, isGantryError, type Clock } from "@gantry/plugin";
import { NO_USAGE, raceAbort } from "@gantry/agent-kit";
import type {
  AgentRunFailure,
  AgentRunInput,
  AgentRunOutcome,
  AgentUsage,
} from "../contract.ts";
import {
  AgentBusy,
  NotDelivered,
  StoppedBefore,
  Unconfirmed,
} from "../live/delivery.ts";
import type { RunWatches } from "../live/run-watches.ts";
import type { TurnOutcome } from "../live/turn.ts";
import { isOutage } from "../until-stored.ts";

/** Dependencies of {@link RunGuard}. */
export interface RunGuardHost {
  input: AgentRunInput;
  /** Ends the run's turn. If the daemon is stopping, the turn counts as cut off and can be continued. */
  stop(isDaemonStopping: boolean): Promise<void>;
  /** Aborts when the run is cancelled. */
  signal: AbortSignal;
  clock: Clock;
  watches: RunWatches;
}

/** Failures of a run by the code of the error that kept its turn from beginning. */
const FAILURES: Readonly<Record<string, AgentRunFailure>> = {
  AGENT_CLI_MISSING: "cli-missing",
  AGENT_TRUST_REQUIRED: "trust-required",
  AGENT_CONFIG_TOO_LARGE: "trust-required",
  AGENT_NEVER_ASKS: "permission-needed",
  AGENT_NOT_FOUND: "target-gone",
  AGENT_IN_TERMINAL: "agent-in-terminal",
  AGENT_CLOSED: "cancelled",
  AGENT_STOPPING: "cancelled",
};

/** Number of permission requests whose titles are kept. */
const MAX_ASKED = 100;

/** Enforces the cost limit, the time limit and the permission policy of one run, and determines its outcome. */
export class RunGuard {
  /** Aborts when the run must end. */
  readonly signal: AbortSignal;
  readonly #host: RunGuardHost;
  readonly #abort = new AbortController();
  readonly #asked: string[] = [];
  readonly #refused: string[] = [];
  readonly #undo: (() => void)[] = [];
  #usage: AgentUsage = NO_USAGE;
  #verdict: { failure: AgentRunFailure; message: string } | undefined;
  #stopped: Promise<void> = Promise.resolve();
  #isDaemonStopping = false;

  constructor(host: RunGuardHost) {
    this.#host = host;
    this.signal = this.#abort.signal;
    const { input, clock, watches, signal } = host;
    const cancel = () => {
      const { reason } = signal as { reason: unknown };
      this.#isDaemonStopping =
        isGantryError(reason) && reason.code === "PLUGIN_STOPPED";
      this.#end("cancelled", "The run was cancelled.");
    };
    signal.addEventListener("abort", cancel, { once: true });
    this.#undo.push(
      () => signal.removeEventListener("abort", cancel),
      clock.after(input.timeoutMs, () =>
        this.#end(
          "timeout",
          `The run took longer than ${describeTime(input.timeoutMs)} and was stopped.`,
        ),
      ),
      watches.add(input.runId, {
        permissions: input.permissions,
        onUsage: (usage) => this.#spent(usage),
        onAsked: (title, isAllowed) => this.#wasAsked(title, isAllowed),
      }),
    );
    if (signal.aborted) cancel();
  }

  /** The usage of the run's turn that was reported so far. */
  get usage(): AgentUsage {
    return this.#usage;
  }

  /** Waits for the end of the run's turn and returns the outcome of the run. */
  async outcomeOf({
    outcome,
  }: {
    outcome: Promise<TurnOutcome>;
  }): Promise<AgentRunOutcome> {
    const end = await raceAbort(outcome, this.signal).catch(
      async (error: unknown) => {
        if (!this.#verdict) throw error;
        // The end of the stopped turn contains its last usage figures.
        await this.#stopped;
        return await Promise.race([outcome, Promise.resolve(undefined)]);
      },
    );
    if (end) this.#usage = end.usage;
    return this.#toOutcome(end);
  }

  /** The outcome of a run that failed before its turn could end. */
  failureOf(error: unknown): AgentRunOutcome {
    const message = describeError(error);
    const failure = isClosed(error)
      ? "cancelled"
      : (isGantryError(error) && FAILURES[error.code]) || "agent-error";
    this.#verdict ??= { failure, message };
    return this.#toOutcome(undefined);
  }

  dispose(): void {
    for (const undo of this.#undo.splice(0)) undo();
  }

  #toOutcome(end: TurnOutcome | undefined): AgentRunOutcome {
    const { failure, message } = this.#verdict ?? this.#judge(end);
    return {
      failure,
      message,
      sessionId: end?.sessionId ?? null,
      usage: this.#usage,
      permissionsAsked: [...this.#asked],
      permissionsRefused: [...this.#refused],
    };
  }

  /** Determines the outcome from the end of the turn. Only a run with an answer succeeds. */
  #judge(end: TurnOutcome | undefined): {
    failure: AgentRunFailure | null;
    message: string;
  } {
    if (end?.stopReason === "error" && this.#isCapUsedUp(end.usage))
      return { failure: "cost-cap", message: this.#overCap(end.usage) };
    if (!end || end.stopReason === "error") {
      return {
        failure: "agent-error",
        message: end?.error ?? "The agent ended without a reason.",
      };
    }
    if (end.stopReason === "cancelled")
      return { failure: "cancelled", message: "The agent's turn was stopped." };
    if (end.answer.trim() !== "") {
      return {
        failure: end.stopReason === "refused" ? "agent-error" : null,
        message: end.answer,
      };
    }
    if (this.#refused.length > 0) {
      const titles = this.#refused.join("; ");
      return {
        failure: "permission-needed",
        message: `The agent needed a permission that the automation's policy does not give: ${titles}`,
      };
    }
    return {
      failure: "agent-error",
      message: "The agent ended its turn without an answer.",
    };
  }

  #spent(usage: AgentUsage): void {
    this.#usage = usage;
    const cap = this.#host.input.maxCostUsd;
    if (cap === null || usage.costUsd === null || usage.costUsd <= cap) return;
    this.#end("cost-cap", this.#overCap(usage));
  }

  /** Whether the cost has reached the limit. A CLI that enforces the limit itself then ends its turn with an error. */
  #isCapUsedUp({ costUsd }: AgentUsage): boolean {
    const cap = this.#host.input.maxCostUsd;
    return cap !== null && costUsd !== null && costUsd >= cap;
  }

  #overCap({ costUsd }: AgentUsage): string {
    const { maxCostUsd } = this.#host.input;
    return `The run cost ${costUsd} USD, with a limit of ${maxCostUsd} USD, and was stopped.`;
  }

  #wasAsked(title: string, isAllowed: boolean): void {
    if (this.#asked.length < MAX_ASKED) this.#asked.push(title);
    if (!isAllowed && this.#refused.length < MAX_ASKED)
      this.#refused.push(title);
  }

  #end(failure: AgentRunFailure, message: string): void {
    if (this.#verdict) return;
    this.#verdict = { failure, message };
    this.#stopped = this.#host
      .stop(this.#isDaemonStopping)
      .catch(() => undefined);
    this.#abort.abort(new Error(message));
  }
}

function describeTime(ms: number): string {
  return ms % 60_000 === 0 ? `${ms / 60_000} minutes` : `${ms / 1000} s`;
}

/** Whether the agent was closed or stopped while its prompt was being delivered. */
function isClosed(error: unknown): boolean {
  if (error instanceof NotDelivered)
    return !(error instanceof AgentBusy || isOutage(error.cause));
  return error instanceof StoppedBefore || error instanceof Unconfirmed;
}
