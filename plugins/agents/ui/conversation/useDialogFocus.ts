import { nextTick, onMounted, watch, type Ref } from "vue";

/** A key that was meant for something else must not answer a question that comes up that very moment. */
const guardMs = 600;

/**
 * Brings the keyboard to a question when its turn comes, unless the reader is busy: writing, or with the focus on
 * something else. `isSeen` tells whether at a moment (in ms, as `performance.now()` and events count) the question was
 * drawn and had the keys for long enough that one may have been meant for it.
 */
export function useDialogFocus(
  dialogId: () => string,
  isFirst: Readonly<Ref<boolean>>,
): { isSeen: (moment: number) => boolean } {
  /** It is drawn then, which on a page with much to do is long after it was made. */
  let shownAt = Number.POSITIVE_INFINITY;

  async function show(): Promise<void> {
    // The first one comes before it is drawn.
    requestAnimationFrame(() =>
      requestAnimationFrame((now) => (shownAt = now)),
    );
    await nextTick();
    if (isFree(document.activeElement)) focusDialog(dialogId());
  }

  onMounted(() => {
    if (isFirst.value) void show();
  });
  // It was there before, but the keys were those of the question before it.
  watch(isFirst, (isNowFirst) => {
    if (isNowFirst) void show();
  });

  return { isSeen: (moment) => moment - shownAt > guardMs };
}

/** Focuses a question, the first one unless one is named. Tells whether there was one. */
export function focusDialog(dialogId?: string): boolean {
  const found =
    dialogId === undefined
      ? document.querySelector<HTMLElement>("[data-dialog]")
      : document.querySelector<HTMLElement>(
          `[data-dialog="${CSS.escape(dialogId)}"]`,
        );
  found?.focus({ preventScroll: true });
  return found !== null;
}

/** Nothing has the focus, or a text that nothing was written into. */
function isFree(active: Element | null): boolean {
  if (active === null || active === document.body) return true;
  if (active instanceof HTMLTextAreaElement) return active.value === "";
  return active.matches("main, [data-page-scroll], [data-conversation]");
}
