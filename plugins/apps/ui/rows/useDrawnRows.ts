import { defaultRangeExtractor, useVirtualizer } from "@tanstack/vue-virtual";
import { computed, type ComputedRef, type Ref } from "vue";
import type { Row } from "../wire.ts";

/** Length up to which all rows are drawn, so that the browser's own search finds everything in a short list. */
const MAX_WHOLE = 100;
const OVERSCAN = 10;

/** A row that is drawn, with the room before it in px that is left for rows that are not. */
export interface DrawnRow {
  row: Row;
  index: number;
  gap: number;
}

/** The part of many rows that is drawn. */
export interface DrawnRows {
  readonly drawn: ComputedRef<readonly DrawnRow[]>;
  /** Room after them in px. */
  readonly rest: ComputedRef<number>;
  scrollTo(index: number): void;
  measure(element: Element | null): void;
}

/** Draws only the rows that are in view in a box that scrolls, and the one that has the focus. */
export function useDrawnRows(options: {
  box: Readonly<Ref<HTMLElement | null>>;
  rows: () => readonly Row[];
  rowHeight: number;
  /** Height of what covers the top of the box. */
  headHeight?: number;
  /** The row that stays drawn wherever the box is scrolled to; -1 for none. */
  kept: () => number;
}): DrawnRows {
  const virtualizer = useVirtualizer(
    computed(() => {
      const rows = options.rows();
      const kept = options.kept();
      return {
        count: rows.length,
        getScrollElement: () => options.box.value,
        estimateSize: () => options.rowHeight,
        getItemKey: (index: number) => rows[index]?.id ?? index,
        overscan: rows.length <= MAX_WHOLE ? MAX_WHOLE : OVERSCAN,
        scrollPaddingStart: options.headHeight ?? 0,
        rangeExtractor: (
          range: Parameters<typeof defaultRangeExtractor>[0],
        ) => {
          const indexes = defaultRangeExtractor(range);
          if (kept < 0 || kept >= rows.length || indexes.includes(kept))
            return indexes;
          return [...indexes, kept].sort((one, other) => one - other);
        },
      };
    }),
  );
  const items = computed(() => virtualizer.value.getVirtualItems());

  return {
    drawn: computed(() => {
      const rows = options.rows();
      let end = 0;
      return items.value.flatMap((item) => {
        const row = rows[item.index];
        if (!row) return [];
        const gap = item.start - end;
        end = item.end;
        return [{ row, index: item.index, gap }];
      });
    }),
    rest: computed(
      () => virtualizer.value.getTotalSize() - (items.value.at(-1)?.end ?? 0),
    ),
    scrollTo: (index) =>
      virtualizer.value.scrollToIndex(index, { align: "auto" }),
    measure: (element) => virtualizer.value.measureElement(element),
  };
}
