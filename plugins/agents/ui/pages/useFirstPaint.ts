import { onScopeDispose, shallowRef, watch, type Ref } from "vue";
import { afterPaint } from "../scroll/afterPaint.ts";

/** Time after which the rest of the page is rendered even if the main content is still missing. */
const MAX_WAIT_MS = 1_000;

/** Becomes true once the main content is painted, so that secondary content is rendered after it. */
export function useFirstPaint(isReady: () => boolean): Readonly<Ref<boolean>> {
  const isPainted = shallowRef(false);
  let stop: (() => void) | undefined;
  const setPainted = () => (isPainted.value = true);
  const timer = setTimeout(setPainted, MAX_WAIT_MS);
  watch(
    isReady,
    (ready) => {
      if (ready) stop ??= afterPaint(setPainted);
    },
    { immediate: true, flush: "post" },
  );
  onScopeDispose(() => {
    clearTimeout(timer);
    stop?.();
  });
  return isPainted;
}
