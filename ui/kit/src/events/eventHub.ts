import { shallowRef, type ShallowRef } from "vue";
import type { ApiError } from "../api/apiError.ts";
import type { SseMessage } from "./sseParser.ts";
import { openStream, type Stream, type StreamState } from "./openStream.ts";

/** An event of the daemon. */
export interface GantryEvent<Data = unknown> {
  /** Position in the log; it only grows. */
  id: number;
  /** RFC 3339 UTC. */
  at: string;
  /** `area.past-tense` */
  type: string;
  /** The plugin that emitted it. */
  plugin: string;
  /** Id of the thing that changed. */
  subject: string;
  data: Data;
}

/** What is known of the connection to the daemon. */
export interface ConnectionStatus {
  state: StreamState | "idle";
  error: ApiError | undefined;
  /** True between a farewell of the daemon and the next connection: it was stopped or restarts. */
  stopping: boolean;
}

/** Tells that records were replaced by those of a copy, of which no other event tells. */
const HOME_REPLACED = "kernel.home-replaced";

type Listener = {
  matches: (type: string) => boolean;
  handle: (event: GantryEvent) => void;
};

/** The one event stream of the page, shared by everything on it. */
export interface EventHub {
  readonly status: Readonly<ShallowRef<ConnectionStatus>>;
  /** Calls back for each event of these types: `notes.note-added`, `notes.*`, `*`. */
  subscribe(
    types: readonly string[],
    handle: (event: GantryEvent) => void,
  ): () => void;
  /** Calls back when events were lost, so that everything has to be read again. */
  onStale(handle: () => void): () => void;
  start(): void;
  pause(): void;
  resume(): void;
  stop(): void;
}

/** Makes the page's event hub. `fail` gets what a listener throws, which reaches no other listener. */
export function createEventHub(options: {
  path: string;
  fail: (error: unknown) => void;
}): EventHub {
  const idle: ConnectionStatus = {
    state: "idle",
    error: undefined,
    stopping: false,
  };
  const status = shallowRef<ConnectionStatus>(idle);
  const listeners = new Set<Listener>();
  const staleHandlers = new Set<() => void>();
  let stream: Stream | undefined;
  let bootId: string | undefined;
  let cursor: number | undefined;
  let latest: number | undefined;

  function each<Item>(items: Iterable<Item>, call: (item: Item) => void): void {
    for (const item of [...items]) {
      try {
        call(item);
      } catch (error) {
        options.fail(error);
      }
    }
  }

  function take(message: SseMessage): void {
    const data: unknown = JSON.parse(message.data);
    if (message.event === "hello")
      return greet(data as { bootId: string; latest: number });
    if (message.event === "bye")
      return void (status.value = { ...status.value, stopping: true });
    if (message.event === "reset") return reset();
    const event = data as GantryEvent;
    // A resumed stream may repeat its last event.
    if (cursor !== undefined && event.id <= cursor) return;
    cursor = event.id;
    each(
      listeners,
      (listener) => listener.matches(event.type) && listener.handle(event),
    );
    if (event.type === HOME_REPLACED) each(staleHandlers, (handle) => handle());
  }

  function greet(hello: { bootId: string; latest: number }): void {
    const restarted = bootId !== undefined && bootId !== hello.bootId;
    // A log that is shorter than what was seen is another log.
    const replaced = cursor !== undefined && hello.latest < cursor;
    bootId = hello.bootId;
    latest = hello.latest;
    if (replaced) cursor = undefined;
    cursor ??= hello.latest;
    if (restarted || replaced) each(staleHandlers, (handle) => handle());
  }

  function reset(): void {
    cursor = latest;
    each(staleHandlers, (handle) => handle());
  }

  return {
    status,
    subscribe(types, handle) {
      const listener = { matches: toMatcher(types), handle };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onStale(handle) {
      staleHandlers.add(handle);
      return () => void staleHandlers.delete(handle);
    },
    start() {
      if (stream) return;
      stream = openStream({
        url: () =>
          cursor === undefined
            ? options.path
            : `${options.path}?after=${cursor}`,
        message: take,
        state: (state, error) => {
          const stopping = state !== "open" && status.value.stopping;
          status.value = { state, error, stopping };
        },
      });
    },
    pause: () => stream?.pause(),
    resume: () => stream?.resume(),
    stop() {
      stream?.close();
      stream = undefined;
      bootId = undefined;
      latest = cursor = undefined;
      status.value = idle;
    },
  };
}

/** Makes a test for event types out of patterns: an exact type, or a beginning and `*`. */
export function toMatcher(
  patterns: readonly string[],
): (type: string) => boolean {
  return (type) =>
    patterns.some((pattern) =>
      pattern.endsWith("*")
        ? type.startsWith(pattern.slice(0, -1))
        : pattern === type,
    );
}
