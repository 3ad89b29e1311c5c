import {
  api,
  isAbort,
  loadMarkdown,
  toApiError,
  useEventStream,
  type ApiError,
  type EventStream,
} from "@gantry/ui-kit";
import { computed, onScopeDispose, shallowRef, type Ref } from "vue";
import type { Entry, ListOf, StreamMessage, StreamMessages } from "../wire.ts";
import { createPacer } from "./pacer.ts";
import {
  emptyConversation,
  entriesOf,
  takeBranch,
  takeMessage,
  takeNewestPage,
  takeOlderPage,
  type ConversationState,
} from "./conversationState.ts";

/** One agent's conversation, as it happens. */
export interface Conversation {
  readonly state: Readonly<Ref<ConversationState>>;
  /** Oldest first. */
  readonly entries: Readonly<Ref<readonly Entry[]>>;
  /** Something of it was read, and can be drawn. */
  readonly ready: Readonly<Ref<boolean>>;
  /** Why nothing could be read. */
  readonly error: Readonly<Ref<ApiError | undefined>>;
  readonly loadingOlder: Readonly<Ref<boolean>>;
  /** Why older entries could not be read. */
  readonly olderError: Readonly<Ref<ApiError | undefined>>;
  readonly stream: EventStream;
  /** Reads the newest entries again. Never rejects. */
  refresh(): Promise<void>;
  /** Reads the entries before those that are known. Never rejects. */
  loadOlder(): Promise<void>;
}

/** Other listeners of the stream. */
export interface ConversationListeners {
  state?: (change: StreamMessages["state"]) => void;
  task?: () => void;
  checklist?: (plan: StreamMessages["checklist"]) => void;
  turnEnded?: (end: StreamMessages["turn-ended"]) => void;
}

const pageSize = 100;
const olderPageSize = 200;
/** Enough to join what was read a moment before the stream began. */
const joiningSize = 20;

/** Reads a conversation from its end and, while `following` is set, what happens in it. Ends with the component. */
export function useConversation(
  agentId: string,
  following: Readonly<Ref<boolean>>,
  listeners: ConversationListeners = {},
): Conversation {
  const path = `/api/agents/${agentId}`;
  let current = emptyConversation;
  const state = shallowRef(current);
  const error = shallowRef<ApiError>();
  const loadingOlder = shallowRef(false);
  const olderError = shallowRef<ApiError>();
  const show = createPacer(() => (state.value = current));
  /** The first read has ended, whether it brought something or not. */
  const isTried = shallowRef(false);
  /** Answers can be drawn as they stay: shown as plain text first, they would move what is below. */
  const canDraw = shallowRef(false);
  let reading: AbortController | undefined;
  let snapshots = 0;

  function take(message: StreamMessage): void {
    current = takeMessage(current, message, Date.now());
    show.soon();
  }

  async function refresh(): Promise<void> {
    reading?.abort();
    const own = new AbortController();
    reading = own;
    const epoch = snapshots;
    const isJoining = epoch === 1 && current.older !== undefined;
    try {
      const page = await api.get<ListOf<Entry>>(`${path}/messages`, {
        query: { limit: isJoining ? joiningSize : pageSize },
        signal: own.signal,
      });
      const afterSnapshot = epoch > 0 && epoch === snapshots;
      current = takeNewestPage(current, page, afterSnapshot);
      error.value = undefined;
      show.now();
    } catch (thrown) {
      if (!isAbort(thrown)) error.value = toApiError(thrown);
    } finally {
      isTried.value = true;
    }
  }

  async function loadOlder(): Promise<void> {
    const cursor = current.older;
    if (cursor === null || cursor === undefined || loadingOlder.value) return;
    loadingOlder.value = true;
    try {
      const page = await api.get<ListOf<Entry>>(`${path}/messages`, {
        query: { limit: olderPageSize, cursor },
      });
      current = takeOlderPage(current, page, cursor);
      olderError.value = undefined;
      show.now();
    } catch (thrown) {
      olderError.value = toApiError(thrown);
    } finally {
      loadingOlder.value = false;
    }
  }

  const stream = useEventStream<StreamMessages>(
    // Its snapshot has the newest entries read again, which would break off the read that the page waits for.
    () => (following.value && isTried.value ? `${path}/stream` : null),
    {
      on: {
        snapshot: (data) => {
          take({ event: "snapshot", data });
          snapshots += 1;
          // Nothing may be missing between what was read and what is told from here on.
          void refresh();
          listeners.task?.();
        },
        branched: () => {
          current = takeBranch(current);
          void refresh();
        },
        checklist: (data) => listeners.checklist?.(data),
        state: (data) => listeners.state?.(data),
        task: () => listeners.task?.(),
        "turn-started": (data) => take({ event: "turn-started", data }),
        delta: (data) => take({ event: "delta", data }),
        tool: (data) => take({ event: "tool", data }),
        "tool-output": (data) => take({ event: "tool-output", data }),
        entry: (data) => take({ event: "entry", data }),
        usage: (data) => take({ event: "usage", data }),
        "dialog-opened": (data) => take({ event: "dialog-opened", data }),
        "dialog-closed": (data) => take({ event: "dialog-closed", data }),
        "turn-ended": (data) => {
          take({ event: "turn-ended", data });
          listeners.turnEnded?.(data);
        },
      },
    },
  );
  void refresh();
  void loadMarkdown()
    // Then they stay plain text.
    .catch(() => undefined)
    .then(() => (canDraw.value = true));
  onScopeDispose(() => {
    reading?.abort();
    show.stop();
  });

  return {
    state,
    entries: computed(() => entriesOf(state.value)),
    ready: computed(() => canDraw.value && state.value.older !== undefined),
    error,
    loadingOlder,
    olderError,
    stream,
    refresh,
    loadOlder,
  };
}
