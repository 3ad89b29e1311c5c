import { onBeforeUnmount, onMounted, shallowRef, type Ref } from "vue";

/** Follows the width of an element in px; 0 until it is known. */
export function useWidth(
  element: Readonly<Ref<HTMLElement | null>>,
): Readonly<Ref<number>> {
  const width = shallowRef(0);
  let observer: ResizeObserver | undefined;
  onMounted(() => {
    observer = new ResizeObserver(([entry]) => {
      // Hidden in a tab it has no width.
      if (entry && entry.contentRect.width > 0)
        width.value = entry.contentRect.width;
    });
    if (element.value) observer.observe(element.value);
  });
  onBeforeUnmount(() => observer?.disconnect());
  return width;
}
