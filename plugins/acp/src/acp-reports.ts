import {
  checkAmount,
  CostMeter,
  type DriverCommand,
  ReportFault,
  type SessionNews,
} from "@gantry/agent-kit";
import type { AcpTurn } from "./acp-turn.ts";
import {
  sessionUpdate,
  type configOptions,
  type SessionUpdate,
} from "./acp-updates.ts";

/** A prompt that the agent has not answered yet. */
export interface OpenTurn {
  /** `null` for a prompt that is not a turn. */
  id: string | null;
  parts: AcpTurn;
  /** The agent has sent an update, so it has accepted the prompt. */
  accepted(): void;
  isCancelled: boolean;
}

/** Dependencies of {@link AcpReports}. */
export interface AcpReportsHost {
  emit(turn: string | null, event: SessionNews): Promise<void>;
  model(model: string): Promise<void>;
  /** The agent's complete list of slash commands. */
  commands(commands: readonly DriverCommand[]): Promise<void>;
  /** The agent reported an impossible amount. */
  fail(message: string): void;
}

/** An agent that reports more sessions than this before one is open is misbehaving; the others are ignored. */
const MAX_EARLY_SESSIONS = 8;

/** Reads an agent's reports on its conversation: text, tools, spending. */
export class AcpReports {
  sessionId = "";
  /** The agent is replaying the earlier conversation; none of it is new. */
  isReplaying = true;
  turn: OpenTurn | undefined;
  readonly #host: AcpReportsHost;
  /** Commands of sessions that are not known yet: agents report them next to the answer that names the session. */
  readonly #early = new Map<string, readonly DriverCommand[]>();
  #meter = new CostMeter(null);

  constructor(host: AcpReportsHost) {
    this.#host = host;
  }

  /** Sets the last running total that an earlier process of the conversation reported. */
  carryOver(reportedCostUsd: number | null): void {
    this.#meter = new CostMeter(reportedCostUsd);
  }

  /** The conversation is open: everything reported from now on is new. */
  async opened(sessionId: string): Promise<void> {
    this.sessionId = sessionId;
    this.isReplaying = false;
    const commands = this.#early.get(sessionId);
    this.#early.clear();
    if (commands) await this.#host.commands(commands);
  }

  async take(params: unknown): Promise<void> {
    const parsed = sessionUpdate.safeParse(params);
    if (!parsed.success) return;
    const { sessionId, update } = parsed.data;
    if (
      update.sessionUpdate === "available_commands_update" &&
      this.isReplaying
    )
      return this.#keep(sessionId, toCommands(update.availableCommands));
    // Updates of other sessions do not belong to this conversation.
    if (sessionId !== this.sessionId) return;
    try {
      await this.#take(update);
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
    if (update.sessionUpdate === "available_commands_update")
      return await this.#host.commands(toCommands(update.availableCommands));
    if (update.sessionUpdate === "plan") {
      const items = update.entries.map(({ content, status }) => ({
        text: content,
        status,
      }));
      return await this.#host.emit(this.turn?.id ?? null, {
        type: "plan",
        items,
      });
    }
    if (!this.turn) return;
    this.turn.accepted();
    await this.turn.parts.take(update);
  }

  #keep(sessionId: string, commands: readonly DriverCommand[]): void {
    if (this.#early.size < MAX_EARLY_SESSIONS || this.#early.has(sessionId))
      this.#early.set(sessionId, commands);
  }

  async #spend(
    cost: { amount?: unknown; currency?: unknown } | null | undefined,
  ): Promise<void> {
    if (!cost || cost.currency !== "USD") return;
    const total = checkAmount(cost.amount, "a cost");
    if (this.isReplaying) return this.#meter.rebase(total);
    const costUsd = this.#meter.spent(total);
    await this.#host.emit(this.turn?.id ?? null, {
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
    if (typeof model === "string") await this.#host.model(model);
  }
}

function toCommands(
  commands: readonly { name: string; description: string }[],
): DriverCommand[] {
  return commands.map(({ name, description }) => ({
    name: name.replace(/^\//, ""),
    description,
    source: "cli",
  }));
}
