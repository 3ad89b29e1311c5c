import { describeError, isGantryError, type Clock } from "@gantry/plugin";
import { raceAbort } from "../abort.ts";
import type {
  AgentRunFailure,
  AgentRunInput,
  AgentRunOutcome,
} from "../contract.ts";
import type { AgentUsage } from "../agent-usage.ts";
import {
  AgentBusy,
  NotDelivered,
  StoppedBefore,
  Unconfirmed,
} from "../live/delivery.ts";
import type { RunWatches } from "../live/run-watches.ts";
import { NO_ANSWER, type TurnOutcome } from "../live/turn.ts";
import { NO_USAGE } from "../live/usage.ts";
import { isOutage } from "../until-stored.ts";

/** Dependencies of a run's guard. */
export interface RunGuardHost {
  input: AgentRunInput;
  /** Ends what runs. Unless a user wanted that, its turn is cut off and can be continued. */
  stop(isDaemonStopping: boolean): Promise<void>;
  /** What the agent is doing, in sentences for the user; `null` if nothing is known. */
  describe(): string | null;
  /** Aborts when the run is cancelled. */
  signal: AbortSignal;
  clock: Clock;
  watches: RunWatches;
}

/** Codes of errors before the first word, as reasons of a run. */
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

/** Titles of permission requests that are remembered. */
const MAX_ASKED = 100;

/** Watches over one run: what it may cost, how long it may take, and what is answered for the user. */
export class RunGuard {
  /** Aborts as soon as the run is to end. */
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
        this.#end("timeout", toTimeout(input.timeoutMs, host.describe())),
      ),
      watches.add(input.runId, {
        permissions: input.permissions,
        onUsage: (usage) => this.#spent(usage),
        onAsked: (title, isAllowed) => this.#wasAsked(title, isAllowed),
      }),
    );
    if (signal.aborted) cancel();
  }

  /** What the run's turn has cost, as far as it was reported. */
  get usage(): AgentUsage {
    return this.#usage;
  }

  /** Waits for the end of the run's turn, and judges it. */
  async outcomeOf({
    outcome,
  }: {
    outcome: Promise<TurnOutcome>;
  }): Promise<AgentRunOutcome> {
    const end = await raceAbort(outcome, this.signal).catch(
      async (error: unknown) => {
        if (!this.#verdict) throw error;
        // The process is being ended; the end of its turn brings the last figures.
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
      problem: failure === "agent-error" ? (end?.problem ?? null) : null,
    };
  }

  /** A run is done only with an answer. */
  #judge(end: TurnOutcome | undefined): {
    failure: AgentRunFailure | null;
    message: string;
  } {
    if (end?.stopReason === "error" && this.#isCapUsedUp(end.usage))
      return { failure: "cost-cap", message: this.#overCap(end.usage) };
    if (end?.error === NO_ANSWER && this.#refused.length > 0)
      return this.#withoutPermission();
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
    if (this.#refused.length > 0) return this.#withoutPermission();
    return { failure: "agent-error", message: NO_ANSWER };
  }

  #withoutPermission(): { failure: AgentRunFailure; message: string } {
    const titles = this.#refused.join("; ");
    return {
      failure: "permission-needed",
      message: `The agent needed a permission that no one was there to give: ${titles}`,
    };
  }

  #spent(usage: AgentUsage): void {
    this.#usage = usage;
    const cap = this.#host.input.maxCostUsd;
    if (cap === null || usage.costUsd === null || usage.costUsd <= cap) return;
    this.#end("cost-cap", this.#overCap(usage));
  }

  /** A CLI that was given the cap ends its turn with an error as soon as it has spent that much. */
  #isCapUsedUp({ costUsd }: AgentUsage): boolean {
    const cap = this.#host.input.maxCostUsd;
    return cap !== null && costUsd !== null && costUsd >= cap;
  }

  #overCap({ costUsd }: AgentUsage): string {
    const { maxCostUsd } = this.#host.input;
    return `The run had cost ${costUsd} USD, with a cap of ${maxCostUsd} USD, and was stopped.`;
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

function toTimeout(timeoutMs: number, doing: string | null): string {
  const said = `The run took longer than ${describeTime(timeoutMs)} and was stopped.`;
  return doing === null ? said : `${said} ${doing}`;
}

function describeTime(ms: number): string {
  if (ms % 60_000 !== 0) return `${ms / 1000} s`;
  const minutes = ms / 60_000;
  return minutes === 1 ? "1 minute" : `${minutes} minutes`;
}

/** Whether the agent was closed or stopped while its prompt was handed over. */
function isClosed(error: unknown): boolean {
  if (error instanceof NotDelivered)
    return !(error instanceof AgentBusy || isOutage(error.cause));
  return error instanceof StoppedBefore || error instanceof Unconfirmed;
}
