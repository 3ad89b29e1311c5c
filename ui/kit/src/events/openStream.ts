import { sessionRefusedEvent } from "../api/api.ts";
import { ApiError } from "../api/apiError.ts";
import { readProblem } from "../api/readProblem.ts";
import { createSseParser, type SseMessage } from "./sseParser.ts";

/**
 * How a stream is doing: `waiting` between two tries, `paused` while the page is hidden, `closed` after `close()` or an
 * answer that no retry can change.
 */
export type StreamState =
  "connecting" | "open" | "waiting" | "paused" | "closed";

/** What a stream is made of. */
export interface StreamOptions {
  /** Address for the next try; it is asked each time, so that it can carry the place to resume from. */
  url: (lastId: string) => string;
  message: (message: SseMessage) => void;
  state?: (state: StreamState, error: ApiError | undefined) => void;
  /** Silence after which a connection counts as dead. The daemon sends a comment every 15 s. */
  silenceMs?: number;
}

/** A stream that is kept open until it is closed. Each function may be called at any time, and twice. */
export interface Stream {
  /** Ends the connection until `resume`. */
  pause: () => void;
  /** Opens it again from where it was; while it waits for its next try, tries now. */
  resume: () => void;
  /** Closes it without reconnecting. */
  close: () => void;
}

const firstDelayMs = 400;
const longestDelayMs = 15_000;
/** A connection that lived shorter counts as a failure, or a server that closes at once would be asked without a pause. */
const steadyMs = 3_000;

/**
 * Opens a server-sent event stream with `fetch`, which tells a refused session from a lost connection and reports events
 * of any name. A connection that ends is opened again, at once the first time and then with growing pauses, and tells the
 * server the last id that it saw.
 */
export function openStream(options: StreamOptions): Stream {
  let lastId = "";
  let failures = 0;
  let state: StreamState = "connecting";
  let running: AbortController | undefined;

  function tell(next: StreamState, error?: ApiError): void {
    state = next;
    options.state?.(next, error);
  }

  async function run(signal: AbortSignal): Promise<void> {
    for (;;) {
      tell("connecting");
      const began = performance.now();
      const error = await readToEnd(signal);
      if (signal.aborted) return;
      if (error?.code === "AUTH_NOT_PAIRED")
        window.dispatchEvent(new CustomEvent(sessionRefusedEvent));
      if (error && isFinal(error)) return tell("closed", error);
      failures = performance.now() - began > steadyMs ? 1 : failures + 1;
      tell("waiting", error);
      await sleep(pauseBefore(failures, error), signal);
      if (signal.aborted) return;
    }
  }

  async function readToEnd(signal: AbortSignal): Promise<ApiError | undefined> {
    const silence = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hear = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), options.silenceMs ?? 40_000);
    };
    try {
      hear();
      const response = await fetch(options.url(lastId), {
        headers: {
          accept: "text/event-stream",
          ...(lastId === "" ? {} : { "last-event-id": lastId }),
        },
        signal: AbortSignal.any([signal, silence.signal]),
        cache: "no-store",
      });
      if (!response.ok || !response.body) return await refused(response);
      tell("open");
      await readBody(response.body, hear);
      return undefined;
    } catch {
      return unreachable();
    } finally {
      clearTimeout(timer);
    }
  }

  async function readBody(
    body: ReadableStream<Uint8Array>,
    hear: () => void,
  ): Promise<void> {
    const parse = createSseParser();
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      hear();
      for (const message of parse(decoder.decode(value, { stream: true }))) {
        if (message.id !== "") lastId = message.id;
        options.message(message);
      }
    }
  }

  function start(): void {
    running?.abort();
    running = new AbortController();
    failures = 0;
    void run(running.signal);
  }

  function stop(next: "paused" | "closed"): void {
    if (state === "closed") return;
    running?.abort();
    tell(next);
  }

  start();
  return {
    pause: () => stop("paused"),
    resume: () => {
      if (state === "paused" || state === "waiting") start();
    },
    close: () => stop("closed"),
  };
}

/** The first try comes at once: after a clean end it shows within a moment whether the session was taken away. */
function pauseBefore(failures: number, error: ApiError | undefined): number {
  if (failures === 1) return 0;
  const grown = Math.min(longestDelayMs, firstDelayMs * 2 ** (failures - 2));
  return Math.max(
    (error?.retryAfter ?? 0) * 1000,
    grown * (0.8 + Math.random() * 0.4),
  );
}

/** An answer that the same request will get again. */
function isFinal(error: ApiError): boolean {
  return (
    error.status >= 400 &&
    error.status < 500 &&
    error.status !== 408 &&
    error.status !== 429
  );
}

async function refused(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined);
  return new ApiError(readProblem(response.status, body, response.headers));
}

function unreachable(): ApiError {
  return new ApiError({
    status: 0,
    code: "UNREACHABLE",
    title: "No answer",
    detail:
      "The connection to the Gantry daemon was lost. It is tried again by itself.",
  });
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), {
      once: true,
    });
  });
}
