import type { ServerResponse } from "node:http";
import type { Json } from "./json.ts";
import type { ModelRequest, Outcome } from "./request-log.ts";
import type { StopReason } from "./script.ts";
import type { ToolCall } from "./tool-call.ts";
import {
  createId,
  type AnswerHead,
  type AnswerStream,
  type Wire,
} from "./wires/wire.ts";

/** The way back to one client: streamed or whole, as it asked. What is sent is noted in the request. */
export class Reply {
  /** Aborts when the client is gone. */
  readonly gone: AbortSignal;
  /** Resolves when the client is gone. */
  readonly left: Promise<void>;
  readonly #response: ServerResponse;
  readonly #wire: Wire;
  readonly #head: AnswerHead;
  readonly #request: ModelRequest;
  readonly #changed: () => void;
  #stream: AnswerStream | undefined;
  #thinking = "";

  constructor(
    response: ServerResponse,
    wire: Wire,
    head: AnswerHead,
    request: ModelRequest,
    changed: () => void,
  ) {
    this.#response = response;
    this.#wire = wire;
    this.#head = head;
    this.#request = request;
    this.#changed = changed;
    const gone = new AbortController();
    this.gone = gone.signal;
    this.left = new Promise((resolve) =>
      response.once("close", () => {
        if (!response.writableFinished) this.#finish("client-gone");
        gone.abort();
        resolve();
      }),
    );
  }

  /** True once the answer is complete, or the client is gone. */
  get over(): boolean {
    return this.#request.outcome !== "pending";
  }

  think(text: string): void {
    if (this.over) return;
    this.#thinking += text;
    this.#open()?.think(text);
  }

  text(text: string): void {
    if (this.over) return;
    this.#request.text += text;
    this.#open()?.text(text);
    this.#changed();
  }

  call(call: ToolCall): void {
    if (this.over) return;
    this.#request.calls.push(call);
    this.#open()?.call(call);
    this.#changed();
  }

  end(stop: StopReason): void {
    if (this.over) return;
    const stream = this.#open();
    if (stream) {
      stream.end(stop);
      this.#response.end();
    } else {
      const { text, calls } = this.#request;
      this.#json(
        200,
        this.#wire.whole(this.#head, {
          thinking: this.#thinking,
          text,
          calls,
          stop,
        }),
      );
    }
    this.#finish("answered");
  }

  /** Answers with an HTTP error; once a stream has begun there is no status to give, and the connection is cut. */
  fail(status: number, message: string): void {
    if (this.over) return;
    if (this.#response.headersSent) return this.drop();
    this.#json(status, this.#wire.fault(status, message));
    this.#finish("error");
  }

  /** Answers that the usage limit is reached, until a time in seconds since 1970. */
  limit(resetsAt: number): void {
    if (this.over) return;
    if (this.#response.headersSent) return this.drop();
    const { headers, body } = this.#wire.limit?.(resetsAt) ?? {
      headers: {},
      body: this.#wire.fault(429, "The usage limit is reached."),
    };
    this.#response.setHeaders(new Map(Object.entries(headers)));
    this.#json(429, body);
    this.#finish("error");
  }

  /** Cuts the connection. */
  drop(): void {
    if (this.over) return;
    this.#finish("dropped");
    if (!this.#response.headersSent) this.#response.destroy();
    // What was said is to arrive before the end.
    else this.#response.write("\n\n", () => this.#response.destroy());
  }

  /** The stream, begun at the first thing that is sent; `undefined` for an answer in one piece. */
  #open(): AnswerStream | undefined {
    if (!this.#request.stream || this.#stream) return this.#stream;
    this.#request.status = 200;
    this.#response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      "request-id": createId("req_"),
    });
    this.#stream = this.#wire.stream(this.#head, (data, event) => {
      const text = typeof data === "string" ? data : JSON.stringify(data);
      this.#response.write(
        `${event ? `event: ${event}\n` : ""}data: ${text}\n\n`,
      );
    });
    this.#stream.begin();
    return this.#stream;
  }

  #json(status: number, body: Json): void {
    this.#request.status = status;
    sendJson(this.#response, status, body);
  }

  #finish(outcome: Outcome): void {
    if (this.over) return;
    this.#request.outcome = outcome;
    this.#changed();
  }
}

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: Json,
): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "request-id": createId("req_"),
  });
  response.end(JSON.stringify(body));
}
