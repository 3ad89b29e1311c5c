import {
  computed,
  onBeforeUnmount,
  onMounted,
  shallowRef,
  watch,
  type Ref,
  type ShallowRef,
} from "vue";

/** The part of a list of rows of one height that is drawn. */
export interface FixedRows {
  readonly start: Readonly<Ref<number>>;
  readonly end: Readonly<Ref<number>>;
  /** Height of all rows. */
  readonly total: Readonly<Ref<number>>;
  /** Scrolls just so far that a row is in view. */
  show(index: number): void;
}

/** Rows above and below the view that are drawn too. */
const margin = 12;

/** Draws only the rows that are in view, however many there are. */
export function useFixedRows(
  scroller: Readonly<ShallowRef<HTMLElement | null>>,
  count: Readonly<Ref<number>>,
  height: number,
): FixedRows {
  const top = shallowRef(0);
  const view = shallowRef(600);
  const start = computed(() =>
    Math.max(0, Math.floor(top.value / height) - margin),
  );
  const end = computed(() =>
    Math.min(
      count.value,
      Math.ceil((top.value + view.value) / height) + margin,
    ),
  );

  function measure(): void {
    const box = scroller.value;
    if (!box) return;
    top.value = box.scrollTop;
    view.value = box.clientHeight;
  }
  const observer = new ResizeObserver(measure);
  watch(
    scroller,
    (box, before) => {
      before?.removeEventListener("scroll", measure);
      observer.disconnect();
      if (!box) return;
      box.addEventListener("scroll", measure, { passive: true });
      observer.observe(box);
      measure();
    },
    { flush: "post" },
  );
  onMounted(() => {
    scroller.value?.addEventListener("scroll", measure, { passive: true });
    if (scroller.value) observer.observe(scroller.value);
    measure();
  });
  onBeforeUnmount(() => observer.disconnect());

  return {
    start,
    end,
    total: computed(() => count.value * height),
    show(index) {
      const box = scroller.value;
      if (!box) return;
      const above = index * height;
      if (above < box.scrollTop) box.scrollTop = above;
      else if (above + height > box.scrollTop + box.clientHeight)
        box.scrollTop = above + height - box.clientHeight;
    },
  };
}
