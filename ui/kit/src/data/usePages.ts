import {
  computed,
  ref,
  shallowRef,
  toValue,
  watch,
  type ComputedRef,
  type MaybeRefOrGetter,
  type Ref,
  type ShallowRef,
} from "vue";
import { api, toQuery, type Query } from "../api/api.ts";
import { toApiError, isAbort, type ApiError } from "../api/apiError.ts";
import { useKit } from "../internal/context.ts";
import { createLoader } from "./loader.ts";
import { refreshEvery } from "./refreshEvery.ts";
import { refreshOn, type RefreshOptions } from "./refreshOn.ts";

/** A listing's answer. */
export interface ListAnswer<Item> {
  items: Item[];
  nextCursor: string | null;
}

/** How to read a listing. */
export interface PagesOptions extends RefreshOptions {
  query?: MaybeRefOrGetter<Query>;
  /** Items a page, 1 to 500; 50 unless said. */
  pageSize?: number;
}

/** A listing as a page sees it, with everything that was loaded so far in one list. */
export interface Pages<Item> {
  /** `undefined` until the first answer. */
  readonly items: Readonly<ShallowRef<readonly Item[] | undefined>>;
  readonly pending: Readonly<Ref<boolean>>;
  readonly error: Readonly<ShallowRef<ApiError | undefined>>;
  readonly hasMore: ComputedRef<boolean>;
  readonly loadingMore: Readonly<Ref<boolean>>;
  /** Adds the next page. Rejects never: what went wrong is in `error`. */
  loadMore(): Promise<void>;
  /** Reads as much again as is shown. Never rejects. */
  refresh(): Promise<void>;
}

const longestPage = 500;

/**
 * Reads a listing page by page and keeps what is shown fresh, like `useResource`.
 *
 * @example const runs = usePages<Run>(() => `/api/automations/${id}/runs`, { refreshOn: ["automations.run-*"] });
 */
export function usePages<Item>(
  path: MaybeRefOrGetter<string | null>,
  options: PagesOptions = {},
): Pages<Item> {
  const { cache } = useKit();
  const pageSize = options.pageSize ?? 50;
  const items = shallowRef<readonly Item[]>();
  const nextCursor = shallowRef<string | null>(null);
  const loadingMore = ref(false);
  let more: AbortController | undefined;

  const address = () => {
    const target = toValue(path);
    if (target === null) return null;
    const query = toQuery(toValue(options.query));
    return {
      target,
      query,
      key: `${target}?${new URLSearchParams(query).toString()}#pages`,
    };
  };

  function show(answer: ListAnswer<Item> | undefined): void {
    items.value = answer?.items;
    nextCursor.value = answer?.nextCursor ?? null;
  }

  const loader = createLoader(async (signal) => {
    const current = address();
    if (!current) return;
    more?.abort();
    const limit = Math.min(
      longestPage,
      Math.max(pageSize, items.value?.length ?? 0),
    );
    const answer = await api.get<ListAnswer<Item>>(current.target, {
      query: { ...current.query, limit },
      signal,
    });
    if (limit === pageSize) cache.write(current.key, answer);
    show(answer);
  });

  async function loadMore(): Promise<void> {
    const current = address();
    const cursor = nextCursor.value;
    if (!current || cursor === null || loadingMore.value) return;
    const abort = new AbortController();
    more = abort;
    loadingMore.value = true;
    try {
      const query = { ...current.query, limit: pageSize, cursor };
      const answer = await api.get<ListAnswer<Item>>(current.target, {
        query,
        signal: abort.signal,
      });
      show({
        items: [...(items.value ?? []), ...answer.items],
        nextCursor: answer.nextCursor,
      });
    } catch (thrown) {
      if (!isAbort(thrown)) loader.fail(toApiError(thrown));
    } finally {
      loadingMore.value = false;
    }
  }

  watch(
    () => address()?.key,
    (key) => {
      loader.cancel();
      more?.abort();
      // What a key holds was written by this very call for the same address.
      show(
        key === undefined
          ? undefined
          : (cache.read(key) as ListAnswer<Item> | undefined),
      );
      if (key !== undefined) void loader.load();
    },
    { immediate: true },
  );
  refreshOn(options, () => address() && loader.loadSoon());
  refreshEvery(() => {
    const everyMs = toValue(options.refreshEveryMs);
    return address() ? everyMs : undefined;
  }, loader);

  return {
    items,
    pending: loader.pending,
    error: loader.error,
    hasMore: computed(() => nextCursor.value !== null),
    loadingMore,
    loadMore,
    refresh: loader.load,
  };
}
