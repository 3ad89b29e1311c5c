import {
  onBeforeUnmount,
  onMounted,
  shallowRef,
  type Ref,
  type ShallowRef,
} from "vue";

/** The box that a part of the page scrolls in. */
export interface Scroller {
  box: Readonly<Ref<HTMLElement | null>>;
  /** Where the part begins in it, in px. */
  margin(): number;
  /** Room between the upper edge of the box and what is in it, below which the browser would stick a head. */
  padding(): number;
}

/** Finds the box that an element scrolls in. */
export function useScroller(
  element: Readonly<ShallowRef<HTMLElement | null>>,
): Scroller {
  const box = shallowRef<HTMLElement | null>(null);
  const above = shallowRef(0);
  const padding = shallowRef(0);
  function measure(): void {
    if (!element.value || !box.value) return;
    const { top } = box.value.getBoundingClientRect();
    const { scrollTop } = box.value;
    above.value = element.value.getBoundingClientRect().top - top + scrollTop;
  }
  const observer = new ResizeObserver(measure);
  onMounted(() => {
    let parent = element.value?.parentElement ?? null;
    while (parent && !/auto|scroll/.test(getComputedStyle(parent).overflowY))
      parent = parent.parentElement;
    box.value = parent;
    padding.value = parent
      ? Number.parseFloat(getComputedStyle(parent).paddingTop)
      : 0;
    measure();
    // What is above may become higher.
    for (const one of [
      element.value,
      ...(element.value?.parentElement?.children ?? []),
    ])
      if (one) observer.observe(one);
  });
  onBeforeUnmount(() => observer.disconnect());
  return { box, margin: () => above.value, padding: () => padding.value };
}
