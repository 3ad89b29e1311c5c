import { usePages } from "@gantry/ui-kit";
import { computed, watch } from "vue";
import { SNAPSHOTS_PATH } from "../backup/calls.ts";
import { SNAPSHOT_EVENTS } from "../backup/snapshotEvents.ts";
import type { Snapshot } from "../wire.ts";

/**
 * The newest snapshots, and as many older ones as lie before a wanted one. Without a wanted one it is the newest that nothing
 * is known to be wrong with, one of another home only if there is no other.
 */
export function useSnapshots(wanted: () => string | undefined) {
  const pages = usePages<Snapshot>(SNAPSHOTS_PATH, {
    refreshOn: SNAPSHOT_EVENTS,
  });
  const chosen = computed(() => {
    const items = pages.items.value;
    const id = wanted();
    if (id !== undefined) return items?.find((snapshot) => snapshot.id === id);
    const good = items?.filter(({ problem }) => problem === null);
    const own = good?.find(({ otherHome }) => otherHome === null);
    return own ?? good?.[0] ?? items?.[0];
  });
  const isSearching = computed(
    () => !chosen.value && pages.hasMore.value && !pages.error.value,
  );
  watch(
    [pages.items, isSearching],
    () => isSearching.value && void pages.loadMore(),
  );
  return { pages, chosen, isSearching };
}
