import { computed, type ComputedRef } from "vue";
import { useRoute, useRouter } from "vue-router";
import type { InboxItemKind } from "../../src/contract.ts";
import { itemKinds } from "../item/itemLook.ts";

/** Which items the list shows. */
export type View = "open" | "unread" | "done" | "all";

export const views: Readonly<Record<View, string>> = {
  open: "Open",
  unread: "Unread",
  done: "Done",
  all: "All",
};

/** The filters of the list. They are in the address, so that a reload and a link keep them. */
export interface Filters {
  readonly view: ComputedRef<View>;
  readonly kind: ComputedRef<InboxItemKind | undefined>;
  set(change: { view?: View; kind?: InboxItemKind | undefined }): void;
}

export function useFilters(): Filters {
  const route = useRoute();
  const router = useRouter();
  const view = computed(() =>
    isView(route.query["view"]) ? route.query["view"] : "open",
  );
  const kind = computed(() =>
    itemKinds.find((known) => known === route.query["kind"]),
  );
  return {
    view,
    kind,
    set(change) {
      const next = { view: view.value, kind: kind.value, ...change };
      // What is usual is left out, so that the plain address stays plain.
      const query = {
        view: next.view === "open" ? undefined : next.view,
        kind: next.kind,
      };
      void router.replace({ path: "/inbox", query });
    },
  };
}

function isView(value: unknown): value is View {
  return typeof value === "string" && Object.hasOwn(views, value);
}
