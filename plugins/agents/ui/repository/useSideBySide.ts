import { shallowRef, watch, type Ref } from "vue";
import { keepText, readKept } from "../agents/keptText.ts";

const KEY = "gantry-agents-side-by-side";

/** Whether the user wants lines as they were and as they are side by side, which the browser keeps for all differences. */
export function useSideBySide(): Ref<boolean> {
  const wished = shallowRef(readKept(KEY) === "1");
  watch(wished, (now) => keepText(KEY, now ? "1" : undefined));
  return wished;
}
