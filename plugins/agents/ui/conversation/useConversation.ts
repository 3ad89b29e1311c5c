import {
  api,
  isAbort,
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
  applyBranch,
  applyMessage,
  applyNewestPage,
  applyOlderPage,
  type ConversationState,
} from "./conversationState.ts";

/** An agent's conversation, kept current. */
export interface Conversation {
  readonly state: Readonly<Ref<ConversationState>>;
  /** Oldest first. */
  readonly entries: Readonly<Ref<readonly Entry[]>>;
  /** Whether a page is loaded. */
  readonly ready: Readonly<Ref<boolean>>;
  /** Why no page could be loaded. */
  readonly error: Readonly<Ref<ApiError | undefined>>;
  readonly loadingOlder: Readonly<Ref<boolean>>;
  /** Why older entries could not be loaded. */
  readonly olderError: Readonly<Ref<ApiError | undefined>>;
  readonly stream: EventStream;
  /** Loads the newest entries again. Never rejects. */
  refresh(): Promise<void>;
  /** Loads the entries before the loaded ones. Never rejects. */
  loadOlder(): Promise<void>;
}

/** Listeners for other messages of the stream. */
export interface ConversationListeners {
  state?: (change: StreamMessages["state"]) => void;
  task?: () => void;
  checklist?: (plan: StreamMessages["checklist"]) => void;
  turnEnded?: (end: StreamMessages["turn-ended"]) => void;
}

const PAGE_SIZE = 100;
const OLDER_PAGE_SIZE = 200;
/** Enough entries to overlap with a page that was loaded just before the stream connected. */
const OVERLAP_PAGE_SIZE = 20;

/** Loads a conversation from its end and, while `following` is set, follows its stream. Stops with the component. */
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
  let reading: AbortController | undefined;
  let snapshots = 0;

  function apply(message: StreamMessage): void {
    current = applyMessage(current, message, Date.now());
    show.soon();
  }

  async function refresh(): Promise<void> {
    reading?.abort();
    const own = new AbortController();
    reading = own;
    const epoch = snapshots;
    const hasOverlap = epoch === 1 && current.older !== undefined;
    try {
      const page = await api.get<ListOf<Entry>>(`${path}/messages`, {
        query: { limit: hasOverlap ? OVERLAP_PAGE_SIZE : PAGE_SIZE },
        signal: own.signal,
      });
      const afterSnapshot = epoch > 0 && epoch === snapshots;
      current = applyNewestPage(current, page, afterSnapshot);
      error.value = undefined;
      show.now();
    } catch (thrown) {
      if (!isAbort(thrown)) error.value = toApiError(thrown);
    }
  }

  async function loadOlder(): Promise<void> {
    const cursor = current.older;
    if (cursor === null || cursor === undefined || loadingOlder.value) return;
    loadingOlder.value = true;
    try {
      const page = await api.get<ListOf<Entry>>(`${path}/messages`, {
        query: { limit: OLDER_PAGE_SIZE, cursor },
      });
      current = applyOlderPage(current, page, cursor);
      olderError.value = undefined;
      show.now();
    } catch (thrown) {
      olderError.value = toApiError(thrown);
    } finally {
      loadingOlder.value = false;
    }
  }

  const stream = useEventStream<StreamMessages>(
    () => (following.value ? `${path}/stream` : null),
    {
      on: {
        snapshot: (data) => {
          apply({ event: "snapshot", data });
          snapshots += 1;
          // Closes the gap between the loaded entries and those that the stream sends from here on.
          void refresh();
          listeners.task?.();
        },
        branched: () => {
          current = applyBranch(current);
          void refresh();
        },
        checklist: (data) => listeners.checklist?.(data),
        state: (data) => listeners.state?.(data),
        task: () => listeners.task?.(),
        "turn-started": (data) => apply({ event: "turn-started", data }),
        delta: (data) => apply({ event: "delta", data }),
        tool: (data) => apply({ event: "tool", data }),
        "tool-output": (data) => apply({ event: "tool-output", data }),
        entry: (data) => apply({ event: "entry", data }),
        usage: (data) => apply({ event: "usage", data }),
        "dialog-opened": (data) => apply({ event: "dialog-opened", data }),
        "dialog-closed": (data) => apply({ event: "dialog-closed", data }),
        "turn-ended": (data) => {
          apply({ event: "turn-ended", data });
          listeners.turnEnded?.(data);
        },
      },
    },
  );
  // Immediately, so that entries are shown before the stream is connected.
  void refresh();
  onScopeDispose(() => {
    reading?.abort();
    show.stop();
  });

  return {
    state,
    entries: computed(() => entriesOf(state.value)),
    ready: computed(() => state.value.older !== undefined),
    error,
    loadingOlder,
    olderError,
    stream,
    refresh,
    loadOlder,
  };
}
