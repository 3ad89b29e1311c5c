import { onScopeDispose, type Ref } from "vue";
import { useKit } from "../internal/context.ts";

/** Gives the current time in ms since 1970, moved on each `second` or half `minute` while the component lives. */
export function useNow(
  beat: "second" | "minute" = "minute",
): Readonly<Ref<number>> {
  const { now, release } = useKit().ticker[beat]();
  onScopeDispose(release);
  return now;
}
