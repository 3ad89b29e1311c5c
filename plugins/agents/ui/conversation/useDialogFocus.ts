import { nextTick, onMounted, watch, type Ref } from "vue";

/** Keys within this time of rendering are ignored: they were pressed before the user could see the question. */
const KEY_GUARD_MS = 600;

/**
 * Focuses a question when it becomes the first one, unless the user is writing or has focused something else. `isSeen` returns
 * whether at a time (in ms, as in `performance.now()` and `event.timeStamp`) the question had been rendered and first for long
 * enough that a key may be meant for it.
 */
export function useDialogFocus(
  dialogId: () => string,
  isFirst: Readonly<Ref<boolean>>,
): { isSeen: (moment: number) => boolean } {
  /** Time of rendering, which on a busy page is long after mounting. */
  let shownAt = Number.POSITIVE_INFINITY;

  async function show(): Promise<void> {
    // The first frame starts before rendering, the second one after it.
    requestAnimationFrame(() =>
      requestAnimationFrame((now) => (shownAt = now)),
    );
    await nextTick();
    if (isFree(document.activeElement)) focusDialog(dialogId());
  }

  onMounted(() => {
    if (isFirst.value) void show();
  });
  // It was visible before, but keys went to the question above it.
  watch(isFirst, (isNowFirst) => {
    if (isNowFirst) void show();
  });

  return { isSeen: (moment) => moment - shownAt > KEY_GUARD_MS };
}

/** Focuses a question, by default the first one. Returns whether there was one. */
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

/** Whether the focus can be moved: nothing has it, or an empty text or a container. */
function isFree(active: Element | null): boolean {
  if (active === null || active === document.body) return true;
  if (active instanceof HTMLTextAreaElement) return active.value === "";
  return active.matches("main, [data-page-scroll], [data-conversation]");
}
