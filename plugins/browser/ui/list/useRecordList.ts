import { usePages, useSettled, type Pages } from "@gantry/ui-kit";
import { computed, ref, watch, type ComputedRef, type Ref } from "vue";
import { useRoute, useRouter } from "vue-router";

/** A list of records with a text filter. */
export interface RecordList<Item> {
  readonly pages: Pages<Item>;
  /** The text in the filter field. */
  readonly text: Ref<string>;
  /** Whether the list is filtered. */
  readonly isNarrowed: ComputedRef<boolean>;
}

const TYPING_MS = 150;

/** Loads records page by page, and keeps the filter text in the page's address. */
export function useRecordList<Item>(
  path: string,
  refreshOn: readonly string[],
): RecordList<Item> {
  const route = useRoute();
  const router = useRouter();
  const given = route.query["q"];
  const text = ref(typeof given === "string" ? given : "");
  const asked = useSettled(() => text.value.trim(), TYPING_MS);
  const { path: page } = route;
  watch(asked, (q) => {
    // The user may have left the page by now.
    if (route.path === page)
      void router.replace({ query: { q: q || undefined } });
  });
  return {
    pages: usePages<Item>(path, {
      query: () => ({ q: asked.value || undefined }),
      refreshOn,
    }),
    text,
    isNarrowed: computed(() => asked.value !== ""),
  };
}
