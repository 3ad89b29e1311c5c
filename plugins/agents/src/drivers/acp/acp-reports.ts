import type { DriverEvent } from "../../driver.ts";
import { checkAmount, CostMeter, ReportFault } from "../money.ts";
import type { AcpTurn } from "./acp-turn.ts";
import {
  sessionUpdate,
  type configOptions,
  type SessionUpdate,
} from "./acp-updates.ts";

/** The turn that is at work. */
export interface OpenTurn {
  parts: AcpTurn;
  /** The agent has said something, so it has taken the prompt. */
  accepted(): void;
  isCancelled: boolean;
}

/** What reading reports stands on. */
export interface AcpReportsHost {
  emit(event: DriverEvent): Promise<void>;
  /** The agent reported what cannot be. */
  fail(message: string): void;
}

/** Reads what an agent reports of its conversation: words, tools, spending. */
export class AcpReports {
  sessionId = "";
  /** The conversation so far is being told again; none of it is new. */
  isReplaying = true;
  turn: OpenTurn | undefined;
  readonly #host: AcpReportsHost;
  #meter = new CostMeter(null);

  constructor(host: AcpReportsHost) {
    this.#host = host;
  }

  /** The running total that an earlier process of the conversation reported last. */
  carryOver(reportedCostUsd: number | null): void {
    this.#meter = new CostMeter(reportedCostUsd);
  }

  async take(params: unknown): Promise<void> {
    const parsed = sessionUpdate.safeParse(params);
    // Anything may be said of another session; it is not this conversation.
    if (!parsed.success || parsed.data.sessionId !== this.sessionId) return;
    try {
      await this.#take(parsed.data.update);
    } catch (error) {
      if (!(error instanceof ReportFault)) throw error;
      this.#host.fail(error.message);
    }
  }

  async #take(update: SessionUpdate): Promise<void> {
    if (update.sessionUpdate === "usage_update")
      return await this.#spend(update.cost);
    if (this.isReplaying) return;
    if (update.sessionUpdate === "config_option_update")
      return await this.#configure(update.configOptions);
    if (!this.turn) return;
    this.turn.accepted();
    await this.turn.parts.take(update);
  }

  async #spend(
    cost: { amount?: unknown; currency?: unknown } | null | undefined,
  ): Promise<void> {
    if (!cost || cost.currency !== "USD") return;
    const total = checkAmount(cost.amount, "a cost");
    if (this.isReplaying) return this.#meter.rebase(total);
    const costUsd = this.#meter.spent(total);
    await this.#host.emit({
      type: "usage",
      usage: { inputTokens: null, outputTokens: null, costUsd },
      reportedCostUsd: total,
    });
  }

  async #configure(
    options: ReturnType<typeof configOptions.parse>,
  ): Promise<void> {
    const option = options?.find(({ category }) => category === "model");
    const model = option?.currentValue;
    if (typeof model === "string")
      await this.#host.emit({ type: "model", model });
  }
}
