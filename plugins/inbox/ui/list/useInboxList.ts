import { useNow, usePages } from "@gantry/ui-kit";
import { computed } from "vue";
import type { InboxItem } from "../../src/contract.ts";
import type { ItemActions } from "../item/useItemActions.ts";
import { groupItems } from "./groupItems.ts";
import type { Filters } from "./useFilters.ts";

const refreshOn = ["inbox.*"];

/** Reads the items that the filters let through, in groups, and keeps them fresh and as the actions left them. */
export function useInboxList(
  { view, kind }: Filters,
  { hidden, current }: Pick<ItemActions, "hidden" | "current">,
) {
  const now = useNow("minute");
  // What waits may be older than the first page, and must be seen all the same.
  const waiting = usePages<InboxItem>(
    () => (view.value === "open" ? "/api/inbox" : null),
    {
      query: () => ({ blocking: true, kind: kind.value }),
      refreshOn,
    },
  );
  const pages = usePages<InboxItem>("/api/inbox", {
    query: () => ({
      state: view.value === "all" ? undefined : view.value,
      kind: kind.value,
    }),
    refreshOn,
  });

  const items = computed(() => {
    if (pages.items.value === undefined) return undefined;
    const known = new Map<string, InboxItem>();
    for (const item of [...(waiting.items.value ?? []), ...pages.items.value])
      if (!hidden.value.has(item.id)) known.set(item.id, current(item));
    return [...known.values()];
  });
  const groups = computed(
    () => items.value && groupItems(items.value, now.value),
  );

  return {
    groups,
    /** All items in the order in which they are shown. */
    ordered: computed(
      () => groups.value?.flatMap((group) => group.items) ?? [],
    ),
    pending: pages.pending,
    error: computed(() => pages.error.value ?? waiting.error.value),
    hasMore: pages.hasMore,
    loadingMore: pages.loadingMore,
    loadMore: pages.loadMore,
    refresh: async () =>
      void (await Promise.all([pages.refresh(), waiting.refresh()])),
  };
}

export type InboxList = ReturnType<typeof useInboxList>;
