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
import { growRange, isSameRange, type RowRange } from "./rowRange.ts";
import { isAtEnd, staysAtEnd, type ScrollPlace } from "./stickToEnd.ts";

/** What a list of many rows of unknown heights needs. */
export interface VirtualRowsOptions {
  /** The box that scrolls. */
  scroller: Readonly<ShallowRef<HTMLElement | null>>;
  /** Holds the rows that are drawn; each carries its key in `data-row`. */
  list: Readonly<ShallowRef<HTMLElement | null>>;
  rows: Readonly<Ref<readonly { key: string }[]>>;
  /** A guess of a row's height, by its place in `rows`. */
  estimate: (index: number) => number;
  /** The list was scrolled, or something in it grew. */
  moved?: (place: ScrollPlace) => void;
}

/** The part of a list that is drawn. */
export interface VirtualRows {
  /** The rows from `start` to before `end` are drawn. */
  readonly range: Readonly<ShallowRef<RowRange>>;
  /** The end is held in view while the list grows. */
  readonly held: Readonly<Ref<boolean>>;
  /** What is in view has been painted once, so that there is time for what is not in view yet. */
  readonly painted: Readonly<Ref<boolean>>;
  /** Shows the end and holds it. */
  toEnd(): void;
  /** Shows a row at the beginning of the view, if there is such a row. */
  toRow(key: string): void;
  /**
   * Keeps what is in view in its place while something in it is unfolded, also at the end. A row that is named is then
   * moved into view as far as there is room.
   */
  keepPlace(key?: string): void;
}

/** Pixels above and below the view that are drawn too, once what is in view is on the screen. */
const wideMargin = 900;

/**
 * Draws only the rows of a list that are in view, and keeps what the reader looks at in its place: when older rows come
 * in above, when a row turns out higher than it was thought, when a picture loads. At the end it follows what grows.
 */
export function useVirtualRows(options: VirtualRowsOptions): VirtualRows {
  const { scroller, list, rows } = options;
  const heights = createRowHeights();
  const range = shallowRef<RowRange>({ start: 0, end: 0 });
  const held = shallowRef(true);
  /** The first row in view, and how far the view begins below its beginning. */
  let anchor: { key: string; below: number } | undefined;
  let place: ScrollPlace = { top: 0, view: 0, whole: 0 };
  let frame = 0;
  const painted = shallowRef(false);
  let stopWaiting: (() => void) | undefined;
  let observed: ReadonlySet<Element> = new Set();
  const observer = new ResizeObserver(() => {
    settle();
    // Rows that come into view through this are drawn in the next frame: more work here would be put off by the browser.
    drawInNextFrame();
  });

  function readPlace(box: HTMLElement): ScrollPlace {
    return {
      top: box.scrollTop,
      view: box.clientHeight,
      whole: box.scrollHeight,
    };
  }

  /** Where the view has to begin so that the reader sees the same as before. */
  function wishedTop(box: HTMLElement): number {
    if (held.value) return Math.max(0, heights.total - box.clientHeight);
    const index = anchor ? heights.indexOf(anchor.key) : -1;
    return anchor && index >= 0
      ? heights.offsetOf(index) + anchor.below
      : box.scrollTop;
  }

  /** Chooses the rows to draw: those in view at once, one more on each side in each frame. */
  function draw(): void {
    const box = scroller.value;
    if (!box) return;
    const top = wishedTop(box);
    const within = (margin: number): RowRange => ({
      start: heights.indexAt(top - margin),
      end: Math.min(
        heights.count,
        heights.indexAt(top + box.clientHeight + margin) + 1,
      ),
    });
    const wide = within(painted.value ? wideMargin : 0);
    const next = growRange(range.value, within(0), wide);
    if (!isSameRange(range.value, next)) range.value = next;
    if (!isSameRange(next, wide)) drawInNextFrame();
  }

  function drawInNextFrame(): void {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(draw);
  }

  /** Takes the real heights of the rows that are drawn, and puts the view back where the reader was. */
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
    // The end is what the browser says it is: there may be room below the list.
    const wished = held.value ? box.scrollHeight : wishedTop(box);
    if (Math.abs(box.scrollTop - wished) >= 1) box.scrollTop = wished;
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

  /** Scrolls down until a row's end is in view, but never its beginning out of it. */
  function reveal(box: HTMLElement, key: string): void {
    const index = heights.indexOf(key);
    if (index < 0) return;
    const top = heights.offsetOf(index);
    const wished = Math.min(
      top,
      heights.offsetOf(index + 1) - box.clientHeight,
    );
    if (wished <= box.scrollTop) return;
    box.scrollTop = wished;
    takeAnchor(box);
  }

  function onScroll(): void {
    const box = scroller.value;
    if (!box) return;
    const next = readPlace(box);
    held.value = staysAtEnd(held.value, place, next);
    place = next;
    takeAnchor(box);
    draw();
    options.moved?.(place);
  }

  function observeDrawn(): void {
    const drawn = new Set<Element>(list.value?.children ?? []);
    if (scroller.value) drawn.add(scroller.value);
    for (const element of observed)
      if (!drawn.has(element)) observer.unobserve(element);
    for (const element of drawn)
      if (!observed.has(element)) observer.observe(element);
    observed = drawn;
  }

  /** What is out of view comes after what is in view: the reader waits for the first picture, and scrolls later. */
  function widenAfterPaint(): void {
    stopWaiting ??= afterPaint(() => {
      painted.value = true;
      draw();
    });
  }

  watch(
    rows,
    (next) => {
      const { start, end } = range.value;
      const first = heights.keyOf(start);
      heights.setRows(next, options.estimate);
      // What is drawn stays so where older rows come in before it.
      const index = first === undefined ? -1 : heights.indexOf(first);
      if (index > start)
        range.value = { start: index, end: end + index - start };
      draw();
    },
    { immediate: true },
  );
  watch(
    [rows, range],
    () => {
      settle();
      // Rows whose heights were not known may leave room for more of them.
      draw();
      observeDrawn();
      if (rows.value.length > 0) widenAfterPaint();
    },
    { flush: "post" },
  );
  onMounted(() => {
    scroller.value?.addEventListener("scroll", onScroll, { passive: true });
    draw();
    settle();
    observeDrawn();
  });
  onBeforeUnmount(() => {
    scroller.value?.removeEventListener("scroll", onScroll);
    observer.disconnect();
    cancelAnimationFrame(frame);
    stopWaiting?.();
  });

  return {
    range,
    held,
    painted,
    toEnd() {
      held.value = true;
      draw();
      void nextTick(settle);
    },
    toRow(key) {
      if (heights.indexOf(key) < 0) return;
      held.value = false;
      anchor = { key, below: 0 };
      draw();
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
