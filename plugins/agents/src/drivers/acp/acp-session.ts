import {
  client,
  methods,
  PROTOCOL_VERSION,
  type ClientConnection,
  type ContentBlock,
} from "@agentclientprotocol/sdk";
import type { Clock, Log, RunningProcess } from "@gantry/plugin";
import { raceAbort } from "../../abort.ts";
import type {
  AgentCapabilities,
  AgentSession,
  DialogAnswer,
  DriverListener,
  OpenSession,
  PromptImage,
  SessionEnd,
} from "../../driver.ts";
import { AgentProcess } from "../../wire/agent-process.ts";
import { EventChain } from "../event-chain.ts";
import { checkAmount, CostMeter, ReportFault } from "../money.ts";
import { openConversation } from "./acp-conversation.ts";
import { AcpPermissions } from "./acp-permissions.ts";
import { AcpStream } from "./acp-stream.ts";
import { AcpTurn } from "./acp-turn.ts";
import {
  configOptions,
  sessionUpdate,
  type SessionUpdate,
} from "./acp-updates.ts";

type StopReason = "end" | "cancelled" | "refused";

/** One process of an agent that speaks the Agent Client Protocol. */
export class AcpSession implements AgentSession {
  capabilities: AgentCapabilities;
  version: string | null = null;
  readonly resumeKey = null;
  readonly ended: Promise<SessionEnd>;
  readonly #process: AgentProcess;
  readonly #stream: AcpStream;
  readonly #connection: ClientConnection;
  readonly #events: EventChain;
  readonly #permissions = new AcpPermissions();
  #meter = new CostMeter(null);
  #sessionId = "";
  /** The conversation so far is being told again; none of it is new. */
  #isReplaying = true;
  #turn:
    { parts: AcpTurn; accepted: () => void; isCancelled: boolean } | undefined;

  constructor(
    process: RunningProcess,
    host: { clock: Clock; log: Log; capabilities: AgentCapabilities },
    listener: DriverListener,
  ) {
    this.capabilities = host.capabilities;
    this.#events = new EventChain(listener);
    this.#stream = new AcpStream({
      update: (params) => this.#update(params),
      send: (message) =>
        this.#process.channel.send(message, this.#process.gone),
      lost: () =>
        this.#events.emit({
          type: "notice",
          text: "A message of the agent was too long to read and was dropped.",
        }),
    });
    this.#connection = client({ name: "gantry" })
      .onRequest(
        methods.client.session.requestPermission,
        async ({ params }) => {
          if (params.sessionId !== this.#sessionId)
            return { outcome: { outcome: "cancelled" } };
          this.#turn?.accepted();
          await this.#turn?.parts.flush();
          const { dialog, response } = this.#permissions.open(params);
          await this.#events.emit({ type: "dialog-opened", dialog });
          return await response;
        },
      )
      .connect(this.#stream.stream);
    this.#process = new AgentProcess(process, this.#stream, host);
    this.ended = this.#process.ended.then((end) => {
      this.#turn?.accepted();
      this.#turn = undefined;
      this.#stream.close();
      this.#connection.close();
      return end;
    });
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Introduces itself and opens the conversation. */
  async start(input: OpenSession, signal: AbortSignal): Promise<void> {
    const { agent } = this.#connection;
    // A process that ends meanwhile says why better than the connection that breaks.
    const end = this.#process.ended.then((sessionEnd) =>
      Promise.reject(new Error(sessionEnd.message)),
    );
    const opening = async () => {
      const hello = await agent.request(methods.agent.initialize, {
        protocolVersion: PROTOCOL_VERSION,
        clientCapabilities: {
          fs: { readTextFile: false, writeTextFile: false },
          terminal: false,
        },
        clientInfo: { name: "gantry", title: "Gantry", version: "1" },
      });
      if (hello.protocolVersion !== PROTOCOL_VERSION) {
        throw new Error(
          `It speaks version ${hello.protocolVersion} of the protocol; this daemon speaks ${PROTOCOL_VERSION}.`,
        );
      }
      this.version = hello.agentInfo?.version ?? null;
      this.#meter = new CostMeter(input.resume?.reportedCostUsd ?? null);
      return await openConversation({
        agent,
        hello,
        input,
        expect: (sessionId) => void (this.#sessionId = sessionId),
      });
    };
    const conversation = await raceAbort(
      Promise.race([opening(), end]),
      signal,
    );
    this.#sessionId = conversation.sessionId;
    this.#isReplaying = false;
    this.capabilities = { ...this.capabilities, ...conversation.capabilities };
    if (conversation.model)
      await this.#events.emit({ type: "model", model: conversation.model });
    if (conversation.notice)
      await this.#events.emit({ type: "notice", text: conversation.notice });
  }

  async prompt(
    { text, images }: { text: string; images: readonly PromptImage[] },
    signal: AbortSignal,
  ): Promise<void> {
    const blocks: ContentBlock[] = images.map((image) => ({
      type: "image",
      ...image,
    }));
    if (text !== "") blocks.push({ type: "text", text });
    const accepted = new Promise<void>((resolve) => {
      this.#turn = {
        parts: new AcpTurn((event) => this.#events.emit(event)),
        accepted: resolve,
        isCancelled: false,
      };
    });
    const answered = this.#connection.agent
      .request(methods.agent.session.prompt, {
        sessionId: this.#sessionId,
        prompt: blocks,
      })
      .then(
        ({ stopReason }) => this.#endTurn(toStopReason(stopReason), stopReason),
        (error: unknown) => this.#failTurn(error),
      );
    answered.catch(() => undefined);
    // The protocol has no word for "taken": the first thing that the agent says is one.
    await raceAbort(accepted, AbortSignal.any([signal, this.#process.gone]));
  }

  async steer(): Promise<void> {
    throw new Error("The Agent Client Protocol has no way to steer a turn.");
  }

  async abort(): Promise<void> {
    if (this.#turn) this.#turn.isCancelled = true;
    await this.#connection.agent.notify(methods.agent.session.cancel, {
      sessionId: this.#sessionId,
    });
    for (const dialogId of this.#permissions.cancelAll())
      await this.#events.emit({ type: "dialog-closed", dialogId });
  }

  async answer(dialogId: string, answer: DialogAnswer): Promise<void> {
    this.#permissions.answer(dialogId, answer);
  }

  end(): Promise<void> {
    return this.#process.end();
  }

  kill(): Promise<void> {
    return this.#process.kill();
  }

  async #update(params: unknown): Promise<void> {
    try {
      const parsed = sessionUpdate.safeParse(params);
      // Anything may be said of another session; it is not this conversation.
      if (parsed.success && parsed.data.sessionId === this.#sessionId)
        await this.#take(parsed.data.update);
    } catch (error) {
      if (!(error instanceof ReportFault)) throw error;
      this.#process.fail(error.message);
    }
  }

  async #take(update: SessionUpdate): Promise<void> {
    if (update.sessionUpdate === "usage_update")
      return await this.#spend(update.cost);
    if (this.#isReplaying) return;
    if (update.sessionUpdate === "config_option_update")
      return await this.#configure(update.configOptions);
    if (!this.#turn) return;
    this.#turn.accepted();
    await this.#turn.parts.take(update);
  }

  async #spend(
    cost: { amount?: unknown; currency?: unknown } | null | undefined,
  ): Promise<void> {
    if (!cost || cost.currency !== "USD") return;
    const total = checkAmount(cost.amount, "a cost");
    if (this.#isReplaying) return this.#meter.rebase(total);
    const costUsd = this.#meter.spent(total);
    await this.#events.emit({
      type: "usage",
      usage: { inputTokens: null, outputTokens: null, costUsd },
      reportedCostUsd: total,
    });
  }

  async #configure(
    options: ReturnType<typeof configOptions.parse>,
  ): Promise<void> {
    const model = options?.find(
      ({ category }) => category === "model",
    )?.currentValue;
    if (typeof model === "string")
      await this.#events.emit({ type: "model", model });
  }

  async #endTurn(stopReason: StopReason, said: string): Promise<void> {
    const turn = this.#turn;
    if (!turn) return;
    this.#turn = undefined;
    turn.accepted();
    await turn.parts.flush();
    if (said === "max_tokens" || said === "max_turn_requests") {
      await this.#events.emit({
        type: "notice",
        text: `The agent stopped at a limit of its own (${said}).`,
      });
    }
    await this.#events.emit({
      type: "turn-ended",
      stopReason,
      answer: turn.parts.answer,
      error: null,
    });
  }

  async #failTurn(error: unknown): Promise<void> {
    const turn = this.#turn;
    // With the process, the turn has ended too, and how is told by its end.
    if (!turn || this.#process.gone.aborted) return;
    if (turn.isCancelled) return await this.#endTurn("cancelled", "cancelled");
    this.#turn = undefined;
    turn.accepted();
    await turn.parts.flush();
    const message = error instanceof Error ? error.message : String(error);
    await this.#events.emit({
      type: "turn-ended",
      stopReason: "error",
      answer: turn.parts.answer,
      error: message,
    });
  }
}

function toStopReason(said: string): StopReason {
  if (said === "cancelled") return "cancelled";
  return said === "refusal" ? "refused" : "end";
}
