import {
  onScopeDispose,
  shallowRef,
  toValue,
  watch,
  type MaybeRefOrGetter,
  type ShallowRef,
} from "vue";
import type { ApiError } from "../api/apiError.ts";
import { useKit } from "../internal/context.ts";
import { openStream, type Stream, type StreamState } from "./openStream.ts";

/** What to do with the messages of a stream, by their event name. */
export interface EventStreamHandlers<Messages extends Record<string, unknown>> {
  on: { [Name in keyof Messages]?: (data: Messages[Name], id: string) => void };
  /** The connection is open; `resumed` if messages of it were seen before. */
  opened?: (resumed: boolean) => void;
}

/** A stream as a page sees it. */
export interface EventStream {
  readonly state: Readonly<ShallowRef<StreamState>>;
  /** Why it is not open. */
  readonly error: Readonly<ShallowRef<ApiError | undefined>>;
  /** Opens it again from the beginning. */
  restart(): void;
}

const hiddenGraceMs = 10_000;

/**
 * Follows the event stream of one resource while the component lives. It resumes by itself, with the last id that it saw
 * in `Last-Event-ID`; it is closed while the page is hidden for longer than 10 s, since a browser opens few connections to
 * one host. `null` as address follows nothing; another address starts over.
 *
 * @example
 * useEventStream<{ delta: { text: string } }>(() => `/api/agents/${props.id}/stream`, {
 *   on: { delta: ({ text }) => (answer.value += text) },
 * });
 */
export function useEventStream<Messages extends Record<string, unknown>>(
  url: MaybeRefOrGetter<string | null>,
  handlers: EventStreamHandlers<Messages>,
): EventStream {
  const { report } = useKit();
  const state = shallowRef<StreamState>("closed");
  const error = shallowRef<ApiError>();
  let stream: Stream | undefined;
  let hiddenTimer: ReturnType<typeof setTimeout> | undefined;

  function open(address: string | null): void {
    stream?.close();
    stream = undefined;
    state.value = "closed";
    error.value = undefined;
    if (address === null) return;
    let seen = false;
    stream = openStream({
      url: () => address,
      message: (message) => {
        seen = true;
        const handle = handlers.on[message.event];
        if (!handle) return;
        try {
          // The shape of a message is the promise of the route that sends it.
          handle(JSON.parse(message.data) as never, message.id);
        } catch (thrown) {
          report(thrown, undefined);
        }
      },
      state: (next, reason) => {
        state.value = next;
        error.value = reason;
        if (next === "open") handlers.opened?.(seen);
      },
    });
  }

  function followVisibility(): void {
    clearTimeout(hiddenTimer);
    if (document.hidden)
      hiddenTimer = setTimeout(() => stream?.pause(), hiddenGraceMs);
    else stream?.resume();
  }

  watch(() => toValue(url), open, { immediate: true });
  document.addEventListener("visibilitychange", followVisibility);
  onScopeDispose(() => {
    document.removeEventListener("visibilitychange", followVisibility);
    clearTimeout(hiddenTimer);
    stream?.close();
  });
  return { state, error, restart: () => open(toValue(url)) };
}
