import {
  client,
  methods,
  PROTOCOL_VERSION,
  type ClientConnection,
  type ContentBlock,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
} from "@agentclientprotocol/sdk";
import type { Clock, Log, RunningProcess } from "@gantry/plugin";
import { raceAbort } from "../../abort.ts";
import type {
  AgentCapabilities,
  AgentSession,
  CompactOutcome,
  DialogAnswer,
  DriverListener,
  OpenSession,
  PromptImage,
  SessionEnd,
} from "../../driver.ts";
import type { DriverCommand } from "../../driver-reports.ts";
import { errors } from "../../errors.ts";
import type { ToolServer } from "../../tool-server.ts";
import { AgentProcess } from "../../wire/agent-process.ts";
import { EventChain, type TurnNews } from "../event-chain.ts";
import { Quiet } from "../quiet.ts";
import { openConversation, toOpenError, toReason } from "./acp-conversation.ts";
import { AcpPermissions, toRefusal } from "./acp-permissions.ts";
import { AcpReports, type OpenTurn } from "./acp-reports.ts";
import { AcpStream, type UnreadRequest } from "./acp-stream.ts";
import { answerForTools, toToolUpdate } from "./acp-tool-servers.ts";
import { AcpTurn } from "./acp-turn.ts";
import { AcpUnasked } from "./acp-unasked.ts";

type TurnEnded = Extract<TurnNews, { type: "turn-ended" }>;

/** The protocol has no word for it either, but some agents have a command of this name. */
const COMPACT = "/compact";

/** What comes within so long after the answer to a prompt belongs to its turn. */
const DRAIN_MS = 200;

/** Not a word of the protocol: by this an agent says that nothing of a turn comes after the answer to its prompt. */
const ANSWERS_LAST = "gantry.answersLast";

/** What an agent has only if it says so. */
const UNTOLD = { clone: false, fork: false, commands: false, compact: false };

/** Dependencies of {@link AcpSession}. */
export interface AcpSessionHost {
  clock: Clock;
  log: Log;
  cli: string;
  capabilities: AgentCapabilities;
}

/** One process of an agent that speaks the Agent Client Protocol. */
export class AcpSession implements AgentSession {
  /** Changed in place: which commands there are is told after the conversation was opened. */
  readonly capabilities: AgentCapabilities;
  version: string | null = null;
  readonly resumeKey = null;
  readonly ended: Promise<SessionEnd>;
  readonly #host: AcpSessionHost;
  readonly #process: AgentProcess;
  readonly #connection: ClientConnection;
  readonly #events: EventChain;
  readonly #permissions = new AcpPermissions();
  #tools: readonly ToolServer[] = [];
  readonly #reports: AcpReports;
  readonly #drain: Quiet;
  readonly #unasked: AcpUnasked;
  /** The agent says that nothing of a turn comes after the answer to its prompt. */
  #answersLast = false;
  /** What was said in the turn before. */
  #before: OpenTurn | undefined;
  /** Resolves when the agent has answered the last prompt. */
  #answered: Promise<unknown> = Promise.resolve();
  /** How often it was told to stop. */
  #stops = 0;

  constructor(
    process: RunningProcess,
    host: AcpSessionHost,
    listener: DriverListener,
  ) {
    this.#host = host;
    this.capabilities = { ...host.capabilities, ...UNTOLD };
    this.#events = new EventChain(listener);
    this.#drain = new Quiet(host.clock, DRAIN_MS);
    this.#unasked = new AcpUnasked({
      clock: host.clock,
      emit: (turn, event) => this.#events.within(turn, event),
      isAsking: () => this.#permissions.isWaiting,
      end: (turn) => this.#endTurn(turn, turn.isCancelled ? "cancelled" : ""),
      gone: () => this.#process.gone,
    });
    this.#reports = new AcpReports({
      emit: (turn, event) => this.#events.within(turn, event),
      heard: () => {
        this.#drain.heard();
        this.#unasked.heard();
      },
      beginUnasked: () => this.#beginUnasked(),
      tell: (fact) => this.#events.emit(fact),
      commands: (commands) => this.#learn(commands),
    });
    const stream = new AcpStream({
      update: (params) => this.#reports.take(params),
      send: (message) => this.#process.send(message, this.#process.gone),
      refuse: (request) => this.#refuse(request),
      lost: () =>
        this.#notice("A message of the agent was too long and was dropped."),
    });
    this.#connection = client({ name: "gantry" })
      .onRequest(methods.client.session.requestPermission, ({ params }) =>
        this.#ask(params),
      )
      .connect(stream.stream);
    this.#process = new AgentProcess(process, stream, host);
    this.ended = this.#process.ended.then(async (end) => {
      // A turn that was answered ended well, however the process ends.
      if (this.#reports.turn?.isAnswered)
        await Promise.all([this.#answered, this.#unasked.ended]);
      this.#reports.turn = undefined;
      stream.close();
      this.#connection.close();
      return end;
    });
  }

  get sessionId(): string {
    return this.#reports.sessionId;
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Introduces itself and opens the conversation. */
  async start(input: OpenSession, signal: AbortSignal): Promise<void> {
    this.#tools = input.tools;
    // A process that ends meanwhile says why better than the connection that breaks.
    const gone = this.#process.ended.then(({ message }) =>
      Promise.reject(new Error(message)),
    );
    const opening = Promise.race([this.#open(input).catch(toOpenError), gone]);
    const conversation = await raceAbort(opening, signal);
    const { model, notice, capabilities } = conversation;
    Object.assign(this.capabilities, capabilities);
    await this.#reports.opened(conversation.sessionId);
    if (model) await this.#events.emit({ type: "model", model });
    if (notice) await this.#notice(notice);
  }

  async prompt(
    {
      text,
      images,
      turn,
    }: { text: string; images: readonly PromptImage[]; turn: string },
    signal: AbortSignal,
  ): Promise<void> {
    const prompt: ContentBlock[] = images.map((image) => ({
      type: "image",
      ...image,
    }));
    if (text !== "") prompt.push({ type: "text", text });
    const anyEnd = AbortSignal.any([signal, this.#process.gone]);
    const emit = (event: TurnNews) => this.#events.within(turn, event);
    const { accepted, ended } = await this.#send(prompt, turn, emit, anyEnd);
    ended
      .then((end) => (end ? emit(end) : undefined))
      // The receiver of the events reports its failures.
      .catch(() => undefined);
    await raceAbort(accepted, anyEnd);
  }

  async compact(signal: AbortSignal): Promise<CompactOutcome> {
    if (!this.capabilities.compact) {
      const { cli } = this.#host;
      throw errors.AGENT_UNSUPPORTED({ cli, capability: "compact" });
    }
    const prompt: ContentBlock[] = [{ type: "text", text: COMPACT }];
    const anyEnd = AbortSignal.any([signal, this.#process.gone]);
    // Its answer to this is not used.
    const emit = async () => undefined;
    const { ended } = await this.#send(prompt, null, emit, anyEnd);
    const end = await raceAbort(ended, anyEnd).catch(async (error: unknown) => {
      if (!this.#process.gone.aborted) await this.abort();
      throw error;
    });
    if (end?.stopReason !== "end")
      throw new Error(end?.error ?? "It did not shrink the conversation.");
    return { compacted: true, tokensBefore: null, tokensAfter: null };
  }

  async steer(): Promise<void> {
    throw new Error("The Agent Client Protocol cannot steer a turn.");
  }

  async abort(): Promise<void> {
    const { sessionId } = this;
    this.#stops += 1;
    if (this.#reports.turn) this.#reports.turn.isCancelled = true;
    // Nothing on the wire answers the stop of a turn that no prompt began.
    this.#unasked.stop();
    await this.#connection.agent.notify(methods.agent.session.cancel, {
      sessionId,
    });
    // The protocol wants every open request answered as cancelled.
    const turn = this.#reports.turn?.id ?? null;
    for (const dialogId of this.#permissions.cancelAll())
      await this.#events.within(turn, { type: "dialog-closed", dialogId });
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

  async #open(input: OpenSession) {
    const { agent } = this.#connection;
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
    this.#answersLast = hello.agentCapabilities?._meta?.[ANSWERS_LAST] === true;
    this.#reports.carryOver(input.resume?.reportedCostUsd ?? null);
    const expect = (sessionId: string) =>
      void (this.#reports.sessionId = sessionId);
    return await openConversation({ agent, hello, input, expect });
  }

  async #ask(
    request: RequestPermissionRequest,
  ): Promise<RequestPermissionResponse> {
    // One of a turn that was stopped is late: its effect is no longer wanted.
    const isUnwanted =
      !this.#reports.turn && this.#before?.isCancelled === true;
    if (request.sessionId !== this.sessionId || isUnwanted)
      return { outcome: { outcome: "cancelled" } };
    const turn = this.#reports.turn ?? (await this.#beginUnasked());
    turn.accepted();
    await turn.parts.flush();
    const tool = turn.parts.tool(request.toolCall.toolCallId);
    const allowed = answerForTools(request, tool, this.#tools);
    if (allowed) {
      await turn.parts.take(toToolUpdate(request, tool));
      return allowed;
    }
    const { dialog, response } = this.#permissions.open(request, tool);
    await this.#events.within(turn.id, { type: "dialog-opened", dialog });
    return await response;
  }

  /** What cannot be shown cannot be allowed. Without an answer the agent would wait for ever. */
  async #refuse(request: UnreadRequest): Promise<void> {
    await this.#notice(
      "A request of the agent was too long to read, so it was refused.",
    );
    const answer = toRefusal(request);
    const { gone } = this.#process;
    await this.#process.send({ jsonrpc: "2.0", ...answer }, gone);
  }

  /**
   * Sends a prompt once the one before is answered: what an agent tells names no prompt, so that with two of them the
   * answer to one would end the other. What comes of it goes to `emit`; `ended` gives nothing if the process ended first.
   */
  async #send(
    prompt: ContentBlock[],
    id: string | null,
    emit: (event: TurnNews) => Promise<void>,
    signal: AbortSignal,
  ): Promise<{
    accepted: Promise<void>;
    ended: Promise<TurnEnded | undefined>;
  }> {
    const stops = this.#stops;
    this.#unasked.stop();
    await raceAbort(Promise.all([this.#answered, this.#unasked.ended]), signal);
    if (stops !== this.#stops)
      throw new Error("It was stopped before it was sent.");
    const parts = new AcpTurn(emit);
    const turn: OpenTurn = {
      ...{ id, parts, isCancelled: false, isAnswered: false },
      accepted: () => undefined,
    };
    // The protocol has no word for "taken": the first thing that the agent says is one.
    const accepted = new Promise<void>((resolve) => (turn.accepted = resolve));
    this.#reports.turn = turn;
    const { sessionId } = this;
    const ended = this.#connection.agent
      .request(methods.agent.session.prompt, { sessionId, prompt })
      .then(
        ({ stopReason }) => this.#drainTurn(turn, stopReason),
        (error: unknown) => this.#failTurn(turn, error),
      );
    this.#answered = ended.catch(() => undefined);
    return { accepted, ended };
  }

  /** The prompt is answered. Agents send the last of their words right after that. */
  async #drainTurn(
    turn: OpenTurn,
    said: string,
  ): Promise<TurnEnded | undefined> {
    turn.isAnswered = true;
    if (!turn.isCancelled && !this.#answersLast)
      await this.#drain.until(this.#process.gone);
    return await this.#endTurn(turn, said);
  }

  async #beginUnasked(): Promise<OpenTurn> {
    const { turn, told } = this.#unasked.begin(this.#before?.parts);
    this.#reports.turn = turn;
    await told;
    return turn;
  }

  async #endTurn(
    turn: OpenTurn,
    said: string,
    error: string | null = null,
  ): Promise<TurnEnded | undefined> {
    if (this.#reports.turn !== turn) return undefined;
    this.#reports.turn = undefined;
    this.#before = turn;
    turn.accepted();
    await turn.parts.flush();
    if (said === "max_tokens" || said === "max_turn_requests")
      await this.#notice(`The agent stopped at a limit of its own (${said}).`);
    const { answer } = turn.parts;
    const stopReason = error === null ? (STOP_REASONS[said] ?? "end") : "error";
    return { type: "turn-ended", stopReason, answer, error };
  }

  async #failTurn(
    turn: OpenTurn,
    error: unknown,
  ): Promise<TurnEnded | undefined> {
    // With the process, the turn has ended too, and how is told by its end.
    if (this.#process.gone.aborted) return undefined;
    if (turn.isCancelled) return await this.#endTurn(turn, "cancelled");
    return await this.#endTurn(turn, "failed", toReason(error));
  }

  async #learn(commands: readonly DriverCommand[]): Promise<void> {
    this.capabilities.commands = commands.length > 0;
    this.capabilities.compact = commands.some(
      ({ name }) => `/${name}` === COMPACT,
    );
    await this.#events.emit({ type: "commands", commands });
  }

  #notice(text: string): Promise<void> {
    const turn = this.#reports.turn?.id ?? null;
    return this.#events.within(turn, { type: "notice", text });
  }
}

const STOP_REASONS: Readonly<Record<string, "cancelled" | "refused">> = {
  cancelled: "cancelled",
  refusal: "refused",
};
