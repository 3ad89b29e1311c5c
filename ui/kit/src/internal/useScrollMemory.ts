import { onBeforeUnmount, onMounted, type ShallowRef } from "vue";
import { useKit } from "./context.ts";

const patienceMs = 1_500;

/** Puts a scrolled element back where it was when the user comes back to it through the history. */
export function useScrollMemory(
  element: Readonly<ShallowRef<HTMLElement | null>>,
): void {
  const { scrollPositions } = useKit();
  const state = window.history.state as { position?: number } | null;
  const key = `${state?.position ?? 0} ${window.location.pathname}${window.location.search}`;
  let observer: ResizeObserver | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function settle(): void {
    observer?.disconnect();
    clearTimeout(timer);
  }

  onMounted(() => {
    const wished = scrollPositions.get(key);
    const box = element.value;
    if (!wished || !box) return;
    box.scrollTop = wished;
    // What the page shows may still be on its way.
    observer = new ResizeObserver(() => {
      box.scrollTop = wished;
      if (Math.abs(box.scrollTop - wished) < 2) settle();
    });
    for (const child of box.children) observer.observe(child);
    timer = setTimeout(settle, patienceMs);
    for (const gesture of ["wheel", "touchmove", "keydown"])
      box.addEventListener(gesture, settle, { once: true });
  });
  onBeforeUnmount(() => {
    settle();
    if (element.value) scrollPositions.set(key, element.value.scrollTop);
  });
}
