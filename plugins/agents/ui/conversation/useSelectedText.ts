import { onBeforeUnmount, onMounted, shallowRef, type ShallowRef } from "vue";

/** A text that the reader selected, and where what concerns it may stand. */
export interface SelectedText {
  text: string;
  /** Middle of the last line of the selection, in pixels from the left edge of the frame. */
  left: number;
  /** Pixels from the upper edge of the frame. */
  top: number;
}

/** Room that a bar under the selection takes, in pixels. */
const bar = { height: 44, halfWidth: 120 };

/** Follows what is selected inside an element, once the pointer is released. Places are inside the frame round it. */
export function useSelectedText(
  within: Readonly<ShallowRef<HTMLElement | null>>,
  frame: Readonly<ShallowRef<HTMLElement | null>>,
): Readonly<ShallowRef<SelectedText | undefined>> {
  const selected = shallowRef<SelectedText>();
  let pressed = false;
  let waiting = 0;

  function read(): SelectedText | undefined {
    const selection = document.getSelection();
    const text = selection?.toString().trim() ?? "";
    if (!selection || text === "" || !frame.value) return undefined;
    const range = selection.getRangeAt(0);
    if (!within.value?.contains(range.commonAncestorContainer))
      return undefined;
    const last = [...range.getClientRects()].at(-1);
    if (!last) return undefined;
    const edges = frame.value.getBoundingClientRect();
    const middle = last.left + last.width / 2 - edges.left;
    const below = last.bottom - edges.top + 6;
    return {
      text,
      left: clamp(middle, bar.halfWidth, edges.width - bar.halfWidth),
      top: clamp(below, 6, edges.height - bar.height),
    };
  }

  function follow(): void {
    cancelAnimationFrame(waiting);
    // During a drag, a bar under the pointer would be in the way.
    if (!pressed)
      waiting = requestAnimationFrame(() => (selected.value = read()));
  }
  const press = () => (pressed = true);
  const release = () => {
    pressed = false;
    follow();
  };

  onMounted(() => {
    document.addEventListener("selectionchange", follow);
    within.value?.addEventListener("pointerdown", press);
    window.addEventListener("pointerup", release);
    window.addEventListener("pointercancel", release);
    within.value?.addEventListener("scroll", follow, { passive: true });
  });
  onBeforeUnmount(() => {
    cancelAnimationFrame(waiting);
    document.removeEventListener("selectionchange", follow);
    window.removeEventListener("pointerup", release);
    window.removeEventListener("pointercancel", release);
  });
  return selected;
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, Math.max(least, most)));
}
