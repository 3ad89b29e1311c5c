import {
  onScopeDispose,
  ref,
  toValue,
  watch,
  type MaybeRefOrGetter,
} from "vue";
import type { Loader } from "./loader.ts";

const MAX_FAILURE_PAUSE_MS = 30_000;

/** Loads again so long after each load has ended, while the page is visible. Two loads never overlap. */
export function refreshEvery(
  everyMs: MaybeRefOrGetter<number | undefined>,
  { pending, error, load }: Pick<Loader, "pending" | "error" | "load">,
): void {
  const isVisible = ref(!document.hidden);
  const follow = () => (isVisible.value = !document.hidden);
  document.addEventListener("visibilitychange", follow);
  onScopeDispose(() =>
    document.removeEventListener("visibilitychange", follow),
  );

  let endedAt = performance.now();
  let failures = 0;
  watch(
    pending,
    (isPending) => {
      if (isPending) return;
      endedAt = performance.now();
      failures = error.value ? failures + 1 : 0;
    },
    // Before the watcher below, which plans with it.
    { flush: "sync" },
  );
  watch(
    [() => toValue(everyMs), pending, isVisible],
    ([every, isPending, isShown], _before, onCleanup) => {
      if (every === undefined || isPending || !isShown) return;
      const pause =
        failures > 0
          ? Math.max(
              every,
              Math.min(every * 2 ** failures, MAX_FAILURE_PAUSE_MS),
            )
          : every;
      // What fell due while the page was hidden is caught up at once.
      const wait = Math.max(0, endedAt + pause - performance.now());
      const timer = setTimeout(() => void load(), wait);
      onCleanup(() => clearTimeout(timer));
    },
    { immediate: true },
  );
}
