import type { SessionFact } from "../../driver.ts";
import type { DriverCommand } from "../../driver-reports.ts";
import type { SessionNews } from "../event-chain.ts";
import { toContextReport, type ContextReport } from "../context-report.ts";
import { CostMeter, readAmount } from "../money.ts";
import type { AcpTurn } from "./acp-turn.ts";
import {
  sessionUpdate,
  type configOptions,
  type SessionUpdate,
} from "./acp-updates.ts";

/** A prompt that the agent has not answered yet. */
export interface OpenTurn {
  /** `null` for one that is no turn. */
  id: string | null;
  parts: AcpTurn;
  /** The agent has said something, so it has taken the prompt. */
  accepted(): void;
  isCancelled: boolean;
  /** The agent has answered the prompt; what still comes belongs to it all the same. */
  isAnswered: boolean;
}

/** Dependencies of {@link AcpReports}. */
export interface AcpReportsHost {
  emit(turn: string | null, event: SessionNews): Promise<void>;
  /** Something was said or done, in a turn or not. */
  heard(): void;
  /** Begins a turn for what is said or done outside of turns. */
  beginUnasked(): Promise<OpenTurn>;
  tell(fact: SessionFact): Promise<void>;
  /** The agent listed its slash commands, all of them. */
  commands(commands: readonly DriverCommand[]): Promise<void>;
}

/** An agent that speaks of more sessions than this before one is open is up to something else. */
const MAX_EARLY = 8;

/** Reads what an agent reports of its conversation: words, tools, spending. */
export class AcpReports {
  sessionId = "";
  /** The conversation so far is being told again; none of it is new. */
  isReplaying = true;
  turn: OpenTurn | undefined;
  readonly #host: AcpReportsHost;
  /** Commands of sessions that are not known yet: agents may report them before the answer that names the session. */
  readonly #early = new Map<string, readonly DriverCommand[]>();
  #meter = new CostMeter(null);

  constructor(host: AcpReportsHost) {
    this.#host = host;
  }

  /** The running total that an earlier process of the conversation reported last. */
  carryOver(reportedCostUsd: number | null): void {
    this.#meter = new CostMeter(reportedCostUsd);
  }

  /** The conversation is open: what is told from here on is new. */
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
    // Anything may be said of another session; it is not this conversation.
    if (sessionId !== this.sessionId) return;
    await this.#take(update);
  }

  async #take(update: SessionUpdate): Promise<void> {
    if (update.sessionUpdate === "usage_update") {
      const context = toContext(update);
      if (context) await this.#host.tell(context);
      return await this.#spend(update.cost);
    }
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
    // The agent repeats a prompt, which begins nothing.
    if (!this.turn && update.sessionUpdate === "user_message_chunk") return;
    const turn = this.turn ?? (await this.#host.beginUnasked());
    this.#host.heard();
    turn.accepted();
    await turn.parts.take(update);
  }

  #keep(sessionId: string, commands: readonly DriverCommand[]): void {
    if (this.#early.size < MAX_EARLY || this.#early.has(sessionId))
      this.#early.set(sessionId, commands);
  }

  async #spend(
    cost: { amount?: unknown; currency?: unknown } | null | undefined,
  ): Promise<void> {
    if (!cost || cost.currency !== "USD") return;
    if (this.isReplaying) return this.#meter.rebase(cost.amount);
    const costUsd = this.#meter.spent(cost.amount);
    if (costUsd === null) return;
    await this.#host.emit(this.turn?.id ?? null, {
      type: "usage",
      usage: { inputTokens: null, outputTokens: null, costUsd },
      reportedCostUsd: this.#meter.total,
    });
  }

  async #configure(
    options: ReturnType<typeof configOptions.parse>,
  ): Promise<void> {
    const option = options?.find(({ category }) => category === "model");
    const model = option?.currentValue;
    if (typeof model === "string")
      await this.#host.tell({ type: "model", model });
  }
}

/** How full the context is. An agent that does not know it says 0 of 0 with its cost. */
function toContext({
  used,
  size,
}: {
  used?: unknown;
  size?: unknown;
}): ContextReport | undefined {
  const tokens = readAmount(used);
  return tokens || readAmount(size) ? toContextReport(tokens, size) : undefined;
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
