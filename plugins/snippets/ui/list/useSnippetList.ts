import {
  api,
  isAbort,
  toApiError,
  useEvents,
  type ApiError,
  type ListAnswer,
  type Query,
} from "@gantry/ui-kit";
import {
  computed,
  onScopeDispose,
  ref,
  shallowRef,
  watch,
  type ComputedRef,
  type Ref,
  type ShallowRef,
} from "vue";
import type { ListedSnippet } from "../wire.ts";

/** The snippets that were read so far, in one list, however many there are. */
export interface SnippetList {
  /** `undefined` until the first answer. */
  readonly items: Readonly<ShallowRef<readonly ListedSnippet[] | undefined>>;
  readonly pending: Readonly<Ref<boolean>>;
  readonly error: Readonly<ShallowRef<ApiError | undefined>>;
  readonly hasMore: ComputedRef<boolean>;
  /** Adds the next page, unless it is on its way. Never rejects. */
  loadMore(): Promise<void>;
  /** Reads again as many as are shown. Never rejects. */
  refresh(): Promise<void>;
}

/** What changes a list; that a snippet was sent does not. */
const changes = [
  "snippets.snippet-created",
  "snippets.snippet-changed",
  "snippets.snippet-deleted",
];
/** As many as a listing gives at once. */
const pageSize = 500;
const quietMs = 150;

/**
 * Reads snippets page by page and keeps all of them fresh, also when there are thousands: unlike `usePages`, reading
 * again gives back as many as were shown, so that a long list does not shrink under the reader. What is shown stays while
 * another query is answered.
 */
export function useSnippetList(query: () => Query): SnippetList {
  const items = shallowRef<readonly ListedSnippet[]>();
  const cursor = shallowRef<string | null>(null);
  const error = shallowRef<ApiError>();
  const pending = ref(false);
  let work: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const read = (from: string | null, signal: AbortSignal) =>
    api.get<ListAnswer<ListedSnippet>>("/api/snips", {
      query: { ...query(), limit: pageSize, cursor: from },
      signal,
    });

  /** Runs one reading; another one takes its place. */
  async function run(reading: (signal: AbortSignal) => Promise<void>) {
    work?.abort();
    const current = new AbortController();
    work = current;
    pending.value = true;
    try {
      await reading(current.signal);
      error.value = undefined;
    } catch (thrown) {
      if (!isAbort(thrown)) error.value = toApiError(thrown);
    } finally {
      if (work === current) pending.value = false;
    }
  }

  function load(count: number): Promise<void> {
    clearTimeout(timer);
    return run(async (signal) => {
      const found: ListedSnippet[] = [];
      let next: string | null = null;
      do {
        const answer: ListAnswer<ListedSnippet> = await read(next, signal);
        found.push(...answer.items);
        next = answer.nextCursor;
      } while (next !== null && found.length < count);
      items.value = found;
      cursor.value = next;
    });
  }

  const refresh = () => load(items.value?.length ?? 0);
  watch(
    () => JSON.stringify(query()),
    () => void load(0),
    { immediate: true },
  );
  useEvents(changes, () => {
    clearTimeout(timer);
    timer = setTimeout(() => void refresh(), quietMs);
  });
  onScopeDispose(() => {
    clearTimeout(timer);
    work?.abort();
  });

  return {
    items,
    pending,
    error,
    hasMore: computed(() => cursor.value !== null),
    refresh,
    async loadMore() {
      const from = cursor.value;
      if (from === null || pending.value) return;
      await run(async (signal) => {
        const answer = await read(from, signal);
        items.value = [...(items.value ?? []), ...answer.items];
        cursor.value = answer.nextCursor;
      });
    },
  };
}
