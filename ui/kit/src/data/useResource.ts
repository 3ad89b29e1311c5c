import {
  shallowRef,
  toValue,
  watch,
  type MaybeRefOrGetter,
  type Ref,
  type ShallowRef,
} from "vue";
import { api, toQuery, type Query } from "../api/api.ts";
import type { ApiError } from "../api/apiError.ts";
import { useKit } from "../internal/context.ts";
import { createLoader } from "./loader.ts";
import { refreshEvery } from "./refreshEvery.ts";
import { refreshOn, type RefreshOptions } from "./refreshOn.ts";

/** How to read a resource. */
export interface ResourceOptions extends RefreshOptions {
  query?: MaybeRefOrGetter<Query>;
}

/** A resource of the daemon as a page sees it. */
export interface Resource<Data> {
  /** The last good answer. It stays while a newer one is asked for, and when that fails. */
  readonly data: Readonly<ShallowRef<Data | undefined>>;
  /** True while an answer is awaited. */
  readonly pending: Readonly<Ref<boolean>>;
  /** Why the last try failed; gone with the next good answer. */
  readonly error: Readonly<ShallowRef<ApiError | undefined>>;
  /** Asks again. Never rejects. */
  refresh(): Promise<void>;
  /** Puts an answer in place that is known already, such as that of a PATCH. A load under way, which may be older, starts again. */
  replace(data: Data): void;
}

/**
 * Reads a resource and keeps it fresh: it is asked for again when its address changes, on the events named, and when
 * events were missed. An address that was read before shows its last answer at once. `null` as path reads nothing.
 *
 * @example const note = useResource<Note>(() => `/api/notes/${props.id}`, { refreshOn: ["notes.*"] });
 */
export function useResource<Data>(
  path: MaybeRefOrGetter<string | null>,
  options: ResourceOptions = {},
): Resource<Data> {
  const { cache } = useKit();
  const data = shallowRef<Data>();

  const address = () => {
    const target = toValue(path);
    if (target === null) return null;
    const query = toQuery(toValue(options.query));
    return {
      target,
      query,
      key: `${target}?${new URLSearchParams(query).toString()}`,
    };
  };

  const loader = createLoader(async (signal) => {
    const current = address();
    if (!current) return;
    const answer = await api.get<Data>(current.target, {
      query: current.query,
      signal,
    });
    cache.write(current.key, answer);
    data.value = answer;
  });

  watch(
    () => address()?.key,
    (key) => {
      loader.cancel();
      // What a key holds was written by this very call for the same address.
      data.value =
        key === undefined ? undefined : (cache.read(key) as Data | undefined);
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
    data,
    pending: loader.pending,
    error: loader.error,
    refresh: loader.load,
    replace(next) {
      const key = address()?.key;
      loader.startAgain();
      if (key !== undefined) cache.write(key, next);
      data.value = next;
    },
  };
}
