import { nextTick, watch, type Ref } from "vue";

/**
 * Gives the focus back to an element that was only moved when the page was loaded again: browsers take it away then.
 */
export function keepFocusOver(
  data: Readonly<Ref<unknown>>,
  root: Readonly<Ref<HTMLElement | null>>,
): void {
  watch(
    data,
    async () => {
      const had = document.activeElement;
      if (!(had instanceof HTMLElement) || !root.value?.contains(had)) return;
      await nextTick();
      if (had.isConnected && document.activeElement === document.body)
        had.focus({ preventScroll: true });
    },
    { flush: "pre" },
  );
}
