import type { Clock, Log, RunningProcess } from "@gantry/plugin";
import type {
  AgentCapabilities,
  AgentSession,
  CompactOutcome,
  DialogAnswer,
  DriverListener,
  PromptImage,
  SessionEnd,
  SessionFork,
} from "../../driver.ts";
import type { DriverCommand } from "../../driver-reports.ts";
import { raceAbort } from "../../abort.ts";
import { AgentProcess } from "../../wire/agent-process.ts";
import { PiReader } from "./pi-reader.ts";
import { PiRequests } from "./pi-requests.ts";
import { isAtLeast } from "../version.ts";
import { toUsage } from "./pi-usage.ts";
import {
  piCommands,
  piCompacted,
  piCopied,
  piForkMessages,
  piState,
  type PiState,
} from "./pi-wire.ts";

/** Kinds of commands by their names on the wire. */
const SOURCES: Readonly<Record<string, DriverCommand["source"]>> = {
  prompt: "template",
  skill: "skill",
};

/** Dependencies of {@link PiSession}. */
export interface PiSessionHost {
  clock: Clock;
  log: Log;
  capabilities: AgentCapabilities;
  version: string | null;
  /** What the questions of our own extension begin with. */
  gateMark?: string | undefined;
}

/** One process of pi in RPC mode. */
export class PiSession implements AgentSession {
  readonly capabilities: AgentCapabilities;
  readonly version: string | null;
  readonly ended: Promise<SessionEnd>;
  readonly #process: AgentProcess;
  readonly #requests = new PiRequests();
  readonly #reader: PiReader;
  readonly #clearsQueue: boolean;
  /** Resolves when pi has said whether it takes the prompt. */
  #taking: Promise<void> = Promise.resolve();
  #sessionId = "";
  #sessionFile: string | null = null;
  #model: PiState["model"];

  constructor(
    process: RunningProcess,
    host: PiSessionHost,
    listener: DriverListener,
  ) {
    this.capabilities = host.capabilities;
    this.version = host.version;
    this.#clearsQueue = isAtLeast(host.version, [0, 84, 4]);
    this.#reader = new PiReader({
      listener,
      clock: host.clock,
      gateMark: host.gateMark,
      requests: this.#requests,
      // Of a version that is not known the wire tells it.
      settles: host.version !== null && isAtLeast(host.version, [0, 80, 4]),
      readState: () => this.readState(this.#process.gone),
      contextSize: (model) => this.#contextSize(model),
      send: (line) => this.#process.send(line, this.#process.gone),
    });
    this.#process = new AgentProcess(process, this.#reader, host);
    this.ended = this.#process.ended.then((end) => {
      this.#requests.failAll(new Error(end.message));
      this.#reader.close();
      return end;
    });
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  get resumeKey(): string | null {
    return this.#sessionFile;
  }

  /** Whether our extension that asks before each tool is loaded; known once pi has answered anything. */
  get hasGate(): boolean {
    return this.#reader.hasGate;
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Asks for the state, which also tells that pi speaks its wire. Keeps the ids of the conversation. */
  async readState(signal: AbortSignal): Promise<PiState> {
    const state = piState.parse(await this.#request("get_state", {}, signal));
    this.#sessionId = state.sessionId;
    this.#sessionFile = state.sessionFile ?? null;
    this.#model = state.model;
    return state;
  }

  /** Moves to a copy of the current conversation, with its first `keepPrompts` messages of the user or with all. */
  async copy({ keepPrompts }: SessionFork, signal: AbortSignal): Promise<void> {
    const { messages } = piForkMessages.parse(
      await this.#request("get_fork_messages", {}, signal),
    );
    const next = keepPrompts === null ? undefined : messages[keepPrompts];
    const answer = next
      ? await this.#request("fork", { entryId: next.entryId }, signal)
      : // Of a conversation without a message there is nothing to copy.
        await this.#request(
          messages.length === 0 ? "new_session" : "clone",
          {},
          signal,
        );
    if (piCopied.parse(answer).cancelled)
      throw new Error("An extension of pi does not let the copy be made.");
    await this.readState(signal);
  }

  /** Reports the commands that pi takes as prompts. */
  async tellCommands(signal: AbortSignal): Promise<void> {
    const answer = piCommands.safeParse(
      // A version that does not know the question has no answer to it.
      await this.#request("get_commands", {}, signal).catch(() => undefined),
    );
    if (!answer.success) return;
    const commands = answer.data.commands.map((command) => ({
      name: command.name,
      description: command.description,
      source: SOURCES[command.source] ?? "cli",
    }));
    await this.#reader.tell({ type: "commands", commands });
  }

  async compact(signal: AbortSignal): Promise<CompactOutcome> {
    const answer = await this.#reader.whileCompacting(() =>
      this.#request("compact", {}, signal).catch((error: unknown) => {
        // Newer versions call a conversation that is small already a failure.
        if (/nothing to compact|already compacted/i.test(String(error)))
          return undefined;
        throw error;
      }),
    );
    if (answer === undefined)
      return { compacted: false, tokensBefore: null, tokensAfter: null };
    const { usage, tokensBefore, estimatedTokensAfter } =
      piCompacted.parse(answer);
    if (usage)
      await this.#reader.tell({
        type: "usage",
        turn: null,
        usage: toUsage(usage),
        reportedCostUsd: null,
      });
    return {
      compacted: true,
      tokensBefore: tokensBefore ?? null,
      tokensAfter: estimatedTokensAfter ?? null,
    };
  }

  async prompt(
    input: { text: string; images: readonly PromptImage[]; turn: string },
    signal: AbortSignal,
  ): Promise<void> {
    this.#reader.expectTurn(input.turn);
    const asked = this.#request("prompt", toFields(input), signal);
    this.#taking = asked.then(
      () => undefined,
      () => undefined,
    );
    try {
      await asked;
    } catch (error) {
      this.#reader.forgetTurn();
      throw error;
    }
    // A command of an extension is answered without any work of the model, so no end of a turn would ever come.
    await this.#reader.checkStarted();
  }

  async steer(
    input: { text: string; images: readonly PromptImage[] },
    signal: AbortSignal,
  ): Promise<void> {
    // Not the command `steer`: if the turn has just ended, that would leave the message lying until the next prompt.
    await this.#request(
      "prompt",
      { ...toFields(input), streamingBehavior: "steer" },
      signal,
    );
  }

  async abort(signal: AbortSignal): Promise<void> {
    // pi looks at commands side by side: an abort that overtakes the prompt would find nothing to stop.
    await raceAbort(
      this.#taking,
      AbortSignal.any([signal, this.#process.gone]),
    );
    this.#reader.stopTurn();
    // Messages in pi's own queue would continue the work that is to stop.
    if (this.#clearsQueue) await this.#send("clear_queue", {}, signal);
    await this.#send("abort", {}, signal);
  }

  async answer(
    dialogId: string,
    answer: DialogAnswer,
    signal: AbortSignal,
  ): Promise<void> {
    const line = this.#reader.answerLine(dialogId, answer);
    if (line) await this.#process.send(line, signal);
  }

  end(): Promise<void> {
    return this.#process.end();
  }

  kill(): Promise<void> {
    return this.#process.kill();
  }

  #contextSize(model: string | undefined): unknown {
    const known = this.#model;
    const isKnown = known && model === `${known.provider}/${known.id}`;
    return isKnown ? known.contextWindow : undefined;
  }

  /** Sends a command; its response comes when it is done, which may be at the end of a turn. */
  async #send(
    type: string,
    fields: object,
    signal: AbortSignal,
  ): Promise<{ response: Promise<unknown> }> {
    const { line, response } = this.#requests.create(type, fields);
    await this.#process.send(
      line,
      AbortSignal.any([signal, this.#process.gone]),
    );
    return { response };
  }

  async #request(
    type: string,
    fields: object,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { response } = await this.#send(type, fields, signal);
    return await raceAbort(response, signal);
  }
}

function toFields({
  text,
  images,
}: {
  text: string;
  images: readonly PromptImage[];
}): object {
  if (images.length === 0) return { message: text };
  return {
    message: text,
    images: images.map((image) => ({ type: "image", ...image })),
  };
}
