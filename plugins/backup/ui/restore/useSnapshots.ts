import { usePages } from "@gantry/ui-kit";
import { watch } from "vue";
import { SNAPSHOTS_PATH } from "../backup/calls.ts";
import { SNAPSHOT_EVENTS } from "../backup/snapshotEvents.ts";
import type { Snapshot } from "../wire.ts";

/** All snapshots, to find one among them. */
export function useSnapshots() {
  const pages = usePages<Snapshot>(SNAPSHOTS_PATH, {
    pageSize: 500,
    refreshOn: SNAPSHOT_EVENTS,
  });
  watch(pages.items, () => {
    if (pages.hasMore.value) void pages.loadMore();
  });
  return pages;
}
