import { ref, watch, type Ref } from "vue";

const KEY = "gantry.terminals.screen-reader";

/** Whether terminals are read out, as this browser's user wishes. */
export function useScreenReader(): Ref<boolean> {
  const isOn = ref(localStorage.getItem(KEY) === "1");
  watch(isOn, (on) => {
    if (on) localStorage.setItem(KEY, "1");
    else localStorage.removeItem(KEY);
  });
  return isOn;
}
