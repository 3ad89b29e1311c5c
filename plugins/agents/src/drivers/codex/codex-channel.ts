import { describeRpcError } from "../rpc-error.ts";
import { codexLine, type RequestId } from "./codex-wire.ts";

/** Dependencies of the channel of Codex. */
export interface CodexChannelHost {
  send(line: object, signal: AbortSignal): Promise<void>;
  notified(method: string, params: unknown): Promise<void>;
  asked(id: RequestId, method: string, params: unknown): Promise<void>;
}

/** Our requests on the wire and their answers, and what Codex calls. */
export class CodexChannel {
  readonly #host: CodexChannelHost;
  readonly #waiting = new Map<
    RequestId,
    { resolve: (result: unknown) => void; reject: (error: Error) => void }
  >();
  #next = 1;

  constructor(host: CodexChannelHost) {
    this.#host = host;
  }

  /** Sends a request and gives its answer. */
  async request(
    method: string,
    params: object,
    signal: AbortSignal,
  ): Promise<unknown> {
    const id = this.#next++;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    answer.catch(() => undefined);
    await this.#host.send({ id, method, params }, signal);
    return await answer;
  }

  notify(method: string, signal: AbortSignal): Promise<void> {
    return this.#host.send({ method }, signal);
  }

  async take(value: unknown): Promise<void> {
    const line = codexLine.safeParse(value).data;
    if (!line) return;
    const { id, method, params, result, error } = line;
    if (method !== undefined) {
      if (id === undefined) await this.#host.notified(method, params);
      else await this.#host.asked(id, method, params);
    } else if (id !== undefined) {
      this.settle(id, result, error ? describeRpcError(error) : null);
    }
  }

  /** Ends the wait for an answer. */
  settle(id: RequestId, result: unknown, error: string | null): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === null) waiting?.resolve(result);
    else waiting?.reject(new Error(error));
  }

  failAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
