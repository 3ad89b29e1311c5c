import {
  nextTick,
  onBeforeUnmount,
  onMounted,
  shallowRef,
  watch,
  type Ref,
  type ShallowRef,
} from "vue";
import { afterPaint } from "./afterPaint.ts";
import { createRowHeights } from "./rowHeights.ts";
import { isAtEnd, staysAtEnd, type ScrollPlace } from "./stickToEnd.ts";

/** Options of `useVirtualRows`. */
export interface VirtualRowsOptions {
  /** The scrolling box. */
  scroller: Readonly<ShallowRef<HTMLElement | null>>;
  /** Container of the rendered rows; each has its key in `data-row`. */
  list: Readonly<ShallowRef<HTMLElement | null>>;
  rows: Readonly<Ref<readonly { key: string }[]>>;
  /** Estimated height of a row in pixels, by its index in `rows`. */
  estimate: (index: number) => number;
  /** Called after the list was scrolled or resized. */
  moved?: (place: ScrollPlace) => void;
}

/** The rendered part of a virtual list. */
export interface VirtualRows {
  /** Rows from `start` (inclusive) to `end` (exclusive) are rendered. */
  readonly range: Readonly<ShallowRef<{ start: number; end: number }>>;
  /** Whether the list sticks to its end while it grows. */
  readonly held: Readonly<Ref<boolean>>;
  /** Whether the visible rows were painted once, so that there is time to render rows out of view. */
  readonly painted: Readonly<Ref<boolean>>;
  /** Scrolls to the end and sticks to it. */
  toEnd(): void;
  /** Scrolls a row to the top of the viewport; does nothing if there is no such row. */
  toRow(key: string): void;
  /**
   * Keeps the visible rows in place while one of them is expanded, also at the end. With a `key`, that row is then scrolled
   * into view as far as it fits.
   */
  keepPlace(key?: string): void;
}

/** Overscan in pixels above and below the viewport, after the first paint. */
const OVERSCAN_PX = 900;

/**
 * Renders only the rows of a list that are in view, and keeps them in place: when older rows are inserted above, when a row is
 * higher than estimated, when an image loads. At the end it follows new content.
 */
export function useVirtualRows(options: VirtualRowsOptions): VirtualRows {
  const { scroller, list, rows } = options;
  const heights = createRowHeights();
  const range = shallowRef({ start: 0, end: 0 });
  const held = shallowRef(true);
  /** The first visible row, and how far its top is above that of the viewport. */
  let anchor: { key: string; below: number } | undefined;
  let place: ScrollPlace = { top: 0, view: 0, whole: 0 };
  let frame = 0;
  const painted = shallowRef(false);
  let cancelAfterPaint: (() => void) | undefined;
  let observed: ReadonlySet<Element> = new Set();
  const observer = new ResizeObserver(() => {
    settle();
    // Rows that come into view by this are rendered in the next frame; the browser would defer resize events caused here.
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(chooseRange);
  });

  function readPlace(box: HTMLElement): ScrollPlace {
    return {
      top: box.scrollTop,
      view: box.clientHeight,
      whole: box.scrollHeight,
    };
  }

  /** Scroll position at which the user sees the same as before. */
  function targetTop(box: HTMLElement): number {
    if (held.value) return Math.max(0, heights.total - box.clientHeight);
    const index = anchor ? heights.indexOf(anchor.key) : -1;
    return anchor && index >= 0
      ? heights.offsetOf(index) + anchor.below
      : box.scrollTop;
  }

  /** Chooses the rows to render. */
  function chooseRange(): void {
    const box = scroller.value;
    if (!box) return;
    const top = targetTop(box);
    const margin = painted.value ? OVERSCAN_PX : 0;
    const start = heights.indexAt(top - margin);
    const end = Math.min(
      heights.count,
      heights.indexAt(top + box.clientHeight + margin) + 1,
    );
    if (range.value.start !== start || range.value.end !== end)
      range.value = { start, end };
  }

  /** Measures the rendered rows, and restores the scroll position. */
  function settle(): void {
    const box = scroller.value;
    if (!box || !list.value) return;
    for (const element of list.value.children) {
      const key = (element as HTMLElement).dataset["row"];
      if (key !== undefined)
        heights.measure(key, element.getBoundingClientRect().height);
    }
    const { start, end } = range.value;
    list.value.style.paddingTop = `${heights.offsetOf(start)}px`;
    list.value.style.paddingBottom = `${heights.total - heights.offsetOf(end)}px`;
    // The end is that of the box, since there may be space below the list.
    const target = held.value ? box.scrollHeight : targetTop(box);
    if (Math.abs(box.scrollTop - target) >= 1) box.scrollTop = target;
    place = readPlace(box);
    options.moved?.(place);
  }

  function takeAnchor(box: HTMLElement): void {
    const index = heights.indexAt(box.scrollTop);
    const key = heights.keyOf(index);
    anchor =
      key === undefined
        ? undefined
        : { key, below: box.scrollTop - heights.offsetOf(index) };
  }

  /** Scrolls down until the end of a row is in view, but keeps its top in view. */
  function reveal(box: HTMLElement, key: string): void {
    const index = heights.indexOf(key);
    if (index < 0) return;
    const top = heights.offsetOf(index);
    const target = Math.min(
      top,
      heights.offsetOf(index + 1) - box.clientHeight,
    );
    if (target <= box.scrollTop) return;
    box.scrollTop = target;
    takeAnchor(box);
  }

  function onScroll(): void {
    const box = scroller.value;
    if (!box) return;
    const next = readPlace(box);
    held.value = staysAtEnd(held.value, place, next);
    place = next;
    takeAnchor(box);
    chooseRange();
    options.moved?.(place);
  }

  function observeRendered(): void {
    const rendered = new Set<Element>(list.value?.children ?? []);
    if (scroller.value) rendered.add(scroller.value);
    for (const element of observed)
      if (!rendered.has(element)) observer.unobserve(element);
    for (const element of rendered)
      if (!observed.has(element)) observer.observe(element);
    observed = rendered;
  }

  /** Adds the overscan after the first paint, which the user waits for. */
  function widenAfterPaint(): void {
    cancelAfterPaint ??= afterPaint(() => {
      painted.value = true;
      chooseRange();
    });
  }

  watch(
    rows,
    (next) => {
      heights.setRows(
        next.map(({ key }, index) => ({
          key,
          estimate: options.estimate(index),
        })),
      );
      chooseRange();
    },
    { immediate: true },
  );
  watch(
    [rows, range],
    () => {
      settle();
      // Rows that are lower than estimated may leave room for more rows.
      chooseRange();
      observeRendered();
      if (rows.value.length > 0) widenAfterPaint();
    },
    { flush: "post" },
  );
  onMounted(() => {
    scroller.value?.addEventListener("scroll", onScroll, { passive: true });
    chooseRange();
    settle();
    observeRendered();
  });
  onBeforeUnmount(() => {
    scroller.value?.removeEventListener("scroll", onScroll);
    observer.disconnect();
    cancelAnimationFrame(frame);
    cancelAfterPaint?.();
  });

  return {
    range,
    held,
    painted,
    toEnd() {
      held.value = true;
      chooseRange();
      void nextTick(settle);
    },
    toRow(key) {
      if (heights.indexOf(key) < 0) return;
      held.value = false;
      anchor = { key, below: 0 };
      chooseRange();
      void nextTick(settle);
    },
    keepPlace(key) {
      const box = scroller.value;
      if (!box) return;
      held.value = false;
      takeAnchor(box);
      void nextTick(() => {
        settle();
        if (key !== undefined) reveal(box, key);
        held.value = isAtEnd(readPlace(box));
      });
    },
  };
}
