import { useKit } from "@gantry/ui-kit/host";
import type { Tone } from "@gantry/ui-kit";
import { computed, onScopeDispose, ref, watch, type ComputedRef } from "vue";

/** What is said of the connection to the daemon. */
export interface ConnectionWords {
  tone: Tone;
  label: string;
  /** What to say loudly; only after a while, since most gaps are short. */
  trouble: string | undefined;
}

const patienceMs = 2_500;

/** Puts the state of the event stream in words. */
export function useConnection(): {
  words: ComputedRef<ConnectionWords>;
  retry: () => void;
} {
  const { events } = useKit();
  const long = ref(false);
  let timer: ReturnType<typeof setTimeout> | undefined;

  const away = computed(() =>
    ["waiting", "connecting"].includes(events.status.value.state),
  );
  watch(
    away,
    (isAway) => {
      clearTimeout(timer);
      long.value = false;
      if (isAway) timer = setTimeout(() => (long.value = true), patienceMs);
    },
    { immediate: true },
  );
  onScopeDispose(() => clearTimeout(timer));

  const words = computed<ConnectionWords>(() => {
    const { state, stopping } = events.status.value;
    if (state === "open")
      return { tone: "success", label: "Connected", trouble: undefined };
    if (state === "closed") {
      return {
        tone: "failed",
        label: "Not connected",
        trouble: "The daemon refuses the event stream. Reload the page.",
      };
    }
    const trouble = stopping
      ? "Gantry was stopped. This page connects again by itself when it runs."
      : "The connection to Gantry is lost. What you see may be out of date.";
    return {
      tone: long.value ? "attention" : "neutral",
      label: long.value ? "Reconnecting" : "Connecting",
      trouble: long.value ? trouble : undefined,
    };
  });
  return { words, retry: () => events.resume() };
}
