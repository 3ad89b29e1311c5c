import { onScopeDispose, shallowRef, watch, type Ref } from "vue";
import { afterPaint } from "../scroll/afterPaint.ts";

/** What a page is opened for may not come at all; the rest of it is drawn then all the same. */
const latestMs = 1_000;

/** Whether what a page is opened for is on the screen, so that there is time for what stands beside it. */
export function useDrawn(isReady: () => boolean): Readonly<Ref<boolean>> {
  const drawn = shallowRef(false);
  let stop: (() => void) | undefined;
  const draw = () => (drawn.value = true);
  const timer = setTimeout(draw, latestMs);
  watch(
    isReady,
    (ready) => {
      if (ready) stop ??= afterPaint(draw);
    },
    { immediate: true, flush: "post" },
  );
  onScopeDispose(() => {
    clearTimeout(timer);
    stop?.();
  });
  return drawn;
}
