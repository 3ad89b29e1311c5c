import {
  onBeforeUnmount,
  shallowRef,
  watch,
  type Ref,
  type ShallowRef,
} from "vue";

/** The width of an element in CSS pixels, from before it is painted for the first time. */
export function useElementWidth(
  element: Readonly<ShallowRef<HTMLElement | null>>,
): Readonly<Ref<number>> {
  const width = shallowRef(0);
  const measure = () => (width.value = element.value?.clientWidth ?? 0);
  const observer = new ResizeObserver(measure);
  watch(
    element,
    (now) => {
      observer.disconnect();
      if (!now) return;
      measure();
      observer.observe(now);
    },
    { flush: "post" },
  );
  onBeforeUnmount(() => observer.disconnect());
  return width;
}
