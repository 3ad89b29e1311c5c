import { randomUUID } from "node:crypto";
import type { Clock, Log, RunningProcess } from "@gantry/plugin";
import { raceAbort } from "../../abort.ts";
import type {
  AgentCapabilities,
  AgentSession,
  CompactOutcome,
  DialogAnswer,
  DriverListener,
  PromptImage,
  SessionEnd,
} from "../../driver.ts";
import { AgentProcess } from "../../wire/agent-process.ts";
import { CostMeter } from "../money.ts";
import { ClaudeReader } from "./claude-reader.ts";
import { ClaudeRequests } from "./claude-requests.ts";
import { claudeCost, claudeHello } from "./claude-wire.ts";

/** Dependencies of {@link ClaudeSession}. */
export interface ClaudeSessionHost {
  clock: Clock;
  log: Log;
  capabilities: AgentCapabilities;
  version: string | null;
  /** The conversation, as it was named on the command line. */
  sessionId: string;
}

interface Input {
  text: string;
  images: readonly PromptImage[];
}

/** One process of Claude Code that speaks JSON lines both ways. */
export class ClaudeSession implements AgentSession {
  readonly capabilities: AgentCapabilities;
  readonly version: string | null;
  readonly resumeKey = null;
  readonly ended: Promise<SessionEnd>;
  readonly #process: AgentProcess;
  readonly #requests = new ClaudeRequests();
  readonly #reader: ClaudeReader;
  #meter = new CostMeter(null);
  #sessionId: string;
  /** Resolves when Claude Code works on the prompt. */
  #taking: Promise<void> = Promise.resolve();

  constructor(
    process: RunningProcess,
    host: ClaudeSessionHost,
    listener: DriverListener,
  ) {
    this.capabilities = host.capabilities;
    this.version = host.version;
    this.#sessionId = host.sessionId;
    this.#reader = new ClaudeReader({
      clock: host.clock,
      listener,
      requests: this.#requests,
      meter: () => this.#meter,
      send: (line) => this.#process.send(line, this.#process.gone),
      interrupt: () => this.#interrupt(this.#process.gone),
      moved: (sessionId) => this.#moveTo(sessionId),
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

  get pid(): number {
    return this.#process.pid;
  }

  /** Introduces us, which also tells that Claude Code speaks its wire. `carried` is what was reported last. */
  async start(carried: number | null, signal: AbortSignal): Promise<void> {
    const answer = await this.#request({ subtype: "initialize" }, signal);
    const { commands } = claudeHello.parse(answer);
    await this.#reader.tell({
      type: "commands",
      commands: commands.map(({ name, description }) => ({
        name: name.replace(/^\//, ""),
        description,
        source: "cli",
      })),
    });
    if (carried !== null && (await this.#carriesCost(signal)))
      this.#meter = new CostMeter(carried);
  }

  async prompt(
    input: Input & { turn: string },
    signal: AbortSignal,
  ): Promise<void> {
    const uuid = randomUUID();
    const taken = this.#reader.expectTurn(
      uuid,
      input.turn,
      input.text.startsWith("/"),
    );
    this.#taking = this.#send(input, uuid, taken, signal).catch(
      (error: unknown) => {
        this.#reader.forget(uuid, true);
        throw error;
      },
    );
    this.#taking.catch(() => undefined);
    await this.#taking;
  }

  async steer(input: Input, signal: AbortSignal): Promise<void> {
    const uuid = randomUUID();
    const taken = this.#reader.expectSteer(uuid);
    await this.#send(input, uuid, taken, signal);
  }

  async abort(signal: AbortSignal): Promise<void> {
    // A stop that overtakes the prompt would find nothing to stop.
    await raceAbort(
      this.#taking.catch(() => undefined),
      AbortSignal.any([signal, this.#process.gone]),
    );
    this.#reader.stopTurn();
    await this.#interrupt(signal);
  }

  /** Not every version knows the request; one that does reports the end of the task. */
  async stopWork(workId: string, signal: AbortSignal): Promise<void> {
    const request = { subtype: "stop_task", task_id: workId };
    const { line } = this.#requests.create(request);
    await this.#process.send(
      line,
      AbortSignal.any([signal, this.#process.gone]),
    );
  }

  async answer(dialogId: string, answer: DialogAnswer): Promise<void> {
    await this.#reader.answer(dialogId, answer);
  }

  async compact(signal: AbortSignal): Promise<CompactOutcome> {
    const outcome = this.#reader.expectCompaction();
    outcome.catch(() => undefined);
    await this.#process.send(
      toLine({ text: "/compact", images: [] }, randomUUID()),
      AbortSignal.any([signal, this.#process.gone]),
    );
    return await raceAbort(outcome, signal);
  }

  end(): Promise<void> {
    return this.#process.end();
  }

  kill(): Promise<void> {
    return this.#process.kill();
  }

  /** Sends a message. Resolves when Claude Code repeats it, which it does once it works on it. */
  async #send(
    input: Input,
    uuid: string,
    taken: Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const anyEnd = AbortSignal.any([signal, this.#process.gone]);
    try {
      await this.#process.send(toLine(input, uuid), anyEnd);
    } catch (error) {
      this.#reader.forget(uuid, false);
      throw error;
    }
    await raceAbort(taken, anyEnd);
  }

  /** It does not answer before it has stopped, so nothing waits for the answer. */
  async #interrupt(signal: AbortSignal): Promise<void> {
    const { line } = this.#requests.create({ subtype: "interrupt" });
    await this.#process.send(
      line,
      AbortSignal.any([signal, this.#process.gone]),
    );
  }

  /** Older versions begin to count at 0 with each process; newer ones carry on with what the conversation has cost. */
  async #carriesCost(signal: AbortSignal): Promise<boolean> {
    const answer = await this.#request({ subtype: "get_session_cost" }, signal)
      .then((said) => claudeCost.safeParse(said).data)
      .catch(() => undefined);
    const total = /Total cost:\s*\$([\d.]+)/.exec(answer?.text ?? "")?.[1];
    return Number(total ?? 0) > 0;
  }

  async #moveTo(sessionId: string): Promise<void> {
    if (sessionId === this.#sessionId) return;
    this.#sessionId = sessionId;
    await this.#reader.tell({ type: "session", sessionId, resumeKey: null });
  }

  async #request(request: object, signal: AbortSignal): Promise<unknown> {
    const anyEnd = AbortSignal.any([signal, this.#process.gone]);
    const { line, answer } = this.#requests.create(request);
    await this.#process.send(line, anyEnd);
    return await raceAbort(answer, signal);
  }
}

function toLine({ text, images }: Input, uuid: string): object {
  const content: object[] = images.map(({ mimeType, data }) => ({
    type: "image",
    source: { type: "base64", media_type: mimeType, data },
  }));
  if (text !== "") content.push({ type: "text", text });
  return { type: "user", uuid, message: { role: "user", content } };
}
