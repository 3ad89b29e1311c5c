import { useNow, usePages } from "@gantry/ui-kit";
import { computed, watch } from "vue";
import { SNAPSHOTS_PATH } from "../backup/calls.ts";
import { SNAPSHOT_EVENTS } from "../backup/snapshotEvents.ts";
import { chooseNewest } from "./chooseNewest.ts";
import type { Snapshot } from "../wire.ts";

/**
 * The newest snapshots, and as many older ones as lie before a wanted one. Without a wanted one it is that of `chooseNewest`.
 */
export function useSnapshots(wanted: () => string | undefined) {
  const now = useNow();
  const pages = usePages<Snapshot>(SNAPSHOTS_PATH, {
    refreshOn: SNAPSHOT_EVENTS,
  });
  const chosen = computed(() => {
    const items = pages.items.value;
    const id = wanted();
    if (id !== undefined) return items?.find((snapshot) => snapshot.id === id);
    return items && chooseNewest(items, now.value);
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
