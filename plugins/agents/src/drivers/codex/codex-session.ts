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
import { AgentProcess } from "../../wire/agent-process.ts";
import type { WireReader } from "../../wire/line-channel.ts";
import type { OversizedLine } from "../../wire/line-splitter.ts";
import { isAtLeast } from "../version.ts";
import { CodexChannel } from "./codex-channel.ts";
import { CodexReader } from "./codex-reader.ts";
import { REFUSALS } from "./codex-dialogs.ts";
import { openThread } from "./codex-threads.ts";
import { CodexToolStarts } from "./codex-tool-starts.ts";
import { codexLine, codexTurn, type RequestId } from "./codex-wire.ts";

/** Versions from this one on report the start of each tool server. */
const REPORTS_STARTS = [0, 169, 0] as const;

/** Dependencies of {@link CodexSession}. */
export interface CodexSessionHost {
  clock: Clock;
  log: Log;
  capabilities: AgentCapabilities;
  version: string | null;
}

interface Input {
  text: string;
  images: readonly PromptImage[];
}

/** One process of Codex's app-server, with one thread. */
export class CodexSession implements AgentSession, WireReader {
  readonly capabilities: AgentCapabilities;
  readonly version: string | null;
  readonly ended: Promise<SessionEnd>;
  readonly #process: AgentProcess;
  readonly #channel: CodexChannel;
  readonly #reader: CodexReader;
  readonly #clock: Clock;
  #toolStarts = new CodexToolStarts([]);
  #threadId = "";
  #path: string | null = null;
  /** Resolves when Codex has said whether it takes the prompt. */
  #taking: Promise<unknown> = Promise.resolve();

  constructor(
    process: RunningProcess,
    host: CodexSessionHost,
    listener: DriverListener,
  ) {
    this.capabilities = host.capabilities;
    this.#clock = host.clock;
    this.version = host.version;
    this.#reader = new CodexReader({
      listener,
      threadId: () => this.#threadId,
      reply: (id, answer) => this.#send({ id, ...answer }),
    });
    this.#channel = new CodexChannel({
      send: (line, signal) => this.#send(line, signal),
      notified: (method, params) => {
        this.#toolStarts.take(method, params);
        return this.#reader.notified(method, params);
      },
      asked: async (id, method, params) => {
        if (await this.#reader.asked(id, method, params)) return;
        const message = "This client does not do that.";
        await this.#send({ id, error: { code: -32601, message } });
      },
    });
    this.#process = new AgentProcess(process, this, host);
    this.ended = this.#process.ended.then((end) => {
      this.#channel.failAll(new Error(end.message));
      this.#reader.close();
      return end;
    });
  }

  get sessionId(): string {
    return this.#threadId;
  }

  get resumeKey(): string | null {
    return this.#path;
  }

  get pid(): number {
    return this.#process.pid;
  }

  value(value: unknown): Promise<void> {
    return this.#channel.take(value);
  }

  async oversized({ fields }: OversizedLine): Promise<void> {
    const { id, method } = codexLine.parse(Object.fromEntries(fields));
    if (id !== undefined && method !== undefined)
      await this.#refuse(id, method);
    else if (id !== undefined)
      this.#channel.settle(id, undefined, "The answer was too long to read.");
    else if (method === "turn/completed") await this.#reader.endUnread();
    else if (method === "item/completed")
      await this.#reader.notice(
        "A message of Codex was too long to read and was left out.",
      );
  }

  /** Introduces us and opens the thread. Gives false if a conversation that was asked for is not there any more. */
  async start(input: OpenSession, signal: AbortSignal): Promise<boolean> {
    const request = (method: string, params: object) =>
      this.#request(method, params, signal);
    await request("initialize", {
      clientInfo: { name: "gantry", title: "Gantry", version: "1" },
      capabilities: { experimentalApi: true },
    });
    await this.#channel.notify("initialized", signal);
    // Older versions may not report when a server has started.
    if (isAtLeast(this.version, REPORTS_STARTS))
      this.#toolStarts = new CodexToolStarts(
        input.tools.map(({ name }) => name),
      );
    const { thread, model, isFound } = await openThread(
      input,
      request,
      // Its reports may come before the answer that names it.
      (threadId) => (this.#threadId = threadId),
    );
    this.#threadId = thread.id;
    this.#path = thread.path ?? null;
    if (model) await this.#reader.tell({ type: "model", model });
    await this.#toolStarts.wait(
      this.#clock,
      AbortSignal.any([signal, this.#process.gone]),
    );
    return isFound;
  }

  async prompt(
    input: Input & { turn: string },
    signal: AbortSignal,
  ): Promise<void> {
    this.#reader.expect(input.turn);
    const { threadId, items } = this.#toInput(input);
    const asked = this.#request(
      "turn/start",
      { threadId, input: items },
      signal,
    );
    this.#taking = asked.catch(() => undefined);
    try {
      this.#reader.taken(codexTurn.parse(await asked).turn.id);
    } catch (error) {
      this.#reader.taken(null);
      throw error;
    }
  }

  async steer(input: Input, signal: AbortSignal): Promise<void> {
    const { threadId, items } = this.#toInput(input);
    const expectedTurnId = this.#reader.wireTurnId;
    await this.#request(
      "turn/steer",
      { threadId, input: items, expectedTurnId },
      signal,
    );
  }

  async abort(signal: AbortSignal): Promise<void> {
    // A stop that overtakes the prompt would find nothing to stop.
    await raceAbort(
      this.#taking,
      AbortSignal.any([signal, this.#process.gone]),
    );
    const turnId = this.#reader.wireTurnId;
    if (turnId === null) return;
    this.#reader.stopTurn();
    const { threadId } = this.#toInput({ text: "", images: [] });
    await this.#request("turn/interrupt", { threadId, turnId }, signal);
  }

  async answer(dialogId: string, answer: DialogAnswer): Promise<void> {
    await this.#reader.answer(dialogId, answer);
  }

  async compact(signal: AbortSignal): Promise<CompactOutcome> {
    const outcome = this.#reader.expectCompaction();
    outcome.catch(() => undefined);
    const threadId = this.#threadId;
    await this.#request("thread/compact/start", { threadId }, signal);
    return await raceAbort(outcome, signal);
  }

  end(): Promise<void> {
    return this.#process.end();
  }

  kill(): Promise<void> {
    return this.#process.kill();
  }

  /** What cannot be shown cannot be allowed. Without an answer Codex would wait for ever. */
  async #refuse(id: RequestId, method: string): Promise<void> {
    await this.#reader.notice(
      "A request of Codex was too long to read, so it was refused.",
    );
    const message = "The request is too long to read.";
    const result = REFUSALS[method];
    await this.#send(
      result ? { id, result } : { id, error: { code: -32600, message } },
    );
  }

  #toInput({ text, images }: Input): { threadId: string; items: object[] } {
    const items: object[] = images.map(({ mimeType, data }) => ({
      type: "image",
      url: `data:${mimeType};base64,${data}`,
    }));
    if (text !== "") items.push({ type: "text", text, text_elements: [] });
    return { threadId: this.#threadId, items };
  }

  #send(line: object, signal: AbortSignal = this.#process.gone): Promise<void> {
    return this.#process.send(line, signal);
  }

  async #request(
    method: string,
    params: object,
    signal: AbortSignal,
  ): Promise<unknown> {
    const anyEnd = AbortSignal.any([signal, this.#process.gone]);
    return await raceAbort(
      this.#channel.request(method, params, anyEnd),
      signal,
    );
  }
}
