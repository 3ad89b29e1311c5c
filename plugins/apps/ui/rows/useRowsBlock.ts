import { useTemplateRef, watch, type ShallowRef } from "vue";
import type { RowsBlock } from "../wire.ts";
import { useDrawnRows, type DrawnRows } from "./useDrawnRows.ts";
import { useRowFocus, type RowFocus } from "./useRowFocus.ts";
import { useRows, type ShownRows } from "./useRows.ts";
import { useSelection, type Selection } from "./useSelection.ts";

/** All that a list and a table have in common. */
export interface RowsState {
  readonly box: Readonly<ShallowRef<HTMLElement | null>>;
  readonly shown: ShownRows;
  readonly selection: Selection;
  readonly drawn: DrawnRows;
  readonly focus: RowFocus;
  /** Listeners of the element that holds the rows. */
  readonly listeners: Readonly<Record<string, (event: never) => void>>;
}

/** Shows the rows of a block in the elements with the template refs `box`, which scrolls, and `body`. */
export function useRowsBlock(
  props: { block: RowsBlock; name: string },
  size: { rowHeight: number; headHeight?: number },
): RowsState {
  const box = useTemplateRef<HTMLElement>("box");
  const body = useTemplateRef<HTMLElement>("body");
  const shown = useRows(props);
  const rows = () => shown.rows.value;
  const selection = useSelection(rows);
  const focus: RowFocus = useRowFocus({
    body,
    rows,
    scrollTo: (index) => drawn.scrollTo(index),
  });
  const drawn = useDrawnRows({
    box,
    rows,
    ...size,
    // Where Tab leads to must be there.
    kept: () => Math.max(focus.index.value, 0),
  });
  watch([shown.sort, shown.asked], () => box.value?.scrollTo({ top: 0 }));

  let isPointed = false;
  let isFocused = false;
  const hold = () => (shown.isHeld.value = isPointed || isFocused);
  return {
    box,
    shown,
    selection,
    drawn,
    focus,
    listeners: {
      keydown: focus.onKey,
      focusin(event: FocusEvent) {
        focus.onFocusIn(event);
        // What was only clicked is done with.
        isFocused =
          event.target instanceof Element &&
          event.target.matches(":focus-visible");
        hold();
      },
      focusout() {
        isFocused = false;
        hold();
      },
      pointerenter({ pointerType }: PointerEvent) {
        isPointed = pointerType === "mouse";
        hold();
      },
      pointerleave() {
        isPointed = false;
        hold();
      },
    },
  };
}
