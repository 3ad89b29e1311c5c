import {
  nextTick,
  onBeforeUnmount,
  onMounted,
  ref,
  watch,
  type Ref,
} from "vue";

/** How far from the end still counts as the end, in px: less than a line. */
const TOLERANCE = 16;

/** Keeps the newest line in view while the reader is at the end. */
export function useLogScroll(
  box: Readonly<Ref<HTMLElement | null>>,
  lines: () => readonly unknown[],
  follows: () => boolean,
): {
  /** The reader has scrolled up, away from new lines. */
  isAway: Ref<boolean>;
  onScroll(): void;
  goToEnd(): void;
} {
  const isAway = ref(false);

  function goToEnd(): void {
    const element = box.value;
    if (!element) return;
    element.scrollTop = element.scrollHeight;
    isAway.value = false;
  }

  // Also when it is shown in a tab for the first time, or becomes higher.
  const observer = new ResizeObserver(() => {
    if (follows() && !isAway.value) goToEnd();
  });
  onMounted(() => {
    if (box.value) observer.observe(box.value);
  });
  onBeforeUnmount(() => observer.disconnect());
  watch(lines, async () => {
    if (!follows() || isAway.value) return;
    await nextTick();
    goToEnd();
  });

  return {
    isAway,
    goToEnd,
    onScroll() {
      const element = box.value;
      // Hidden in a tab it has no height, and is not scrolled by the user.
      if (!element || element.clientHeight === 0) return;
      const { scrollHeight, scrollTop, clientHeight } = element;
      isAway.value = scrollHeight - scrollTop - clientHeight > TOLERANCE;
    },
  };
}
