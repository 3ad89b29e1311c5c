import {
  computed,
  nextTick,
  shallowRef,
  type ComputedRef,
  type Ref,
} from "vue";
import type { Row } from "../wire.ts";

/** Rows above which Tab reaches one row only, since leaving the table would take too many presses. */
const MAX_TAB_STOPS = 50;
/** How long a row may take to be drawn once it was scrolled to. */
const MAX_FRAMES = 10;
const PAGE_ROWS = 10;

/** Where the focus is among the rows. */
export interface RowFocus {
  /** Index of the focused row, or of the one that had the focus last; -1 for none. */
  readonly index: ComputedRef<number>;
  /** `tabindex` of what can be pressed in a row. */
  tabIndex(index: number): -1 | undefined;
  onFocusIn(event: FocusEvent): void;
  onKey(event: KeyboardEvent): void;
}

/** Moves the focus from row to row with the arrow keys, Home, End, Page up and Page down. */
export function useRowFocus(options: {
  body: Readonly<Ref<HTMLElement | null>>;
  rows: () => readonly Row[];
  scrollTo(index: number): void;
}): RowFocus {
  const id = shallowRef<string>();
  const index = computed(() =>
    options.rows().findIndex((row) => row.id === id.value),
  );

  const rowOf = (target: EventTarget | null) =>
    target instanceof Element
      ? target.closest<HTMLElement>("[data-index]")
      : null;

  async function focus(wished: number, role: string): Promise<void> {
    const last = options.rows().length - 1;
    const target = Math.max(0, Math.min(wished, last));
    options.scrollTo(target);
    for (let frame = 0; frame < MAX_FRAMES; frame += 1) {
      await nextTick();
      const row = options.body.value?.querySelector(`[data-index="${target}"]`);
      const control =
        row?.querySelector<HTMLElement>(`[data-row-part="${role}"]`) ??
        row?.querySelector<HTMLElement>("a, button, input");
      if (control) return control.focus({ preventScroll: true });
      await new Promise(requestAnimationFrame);
    }
  }

  return {
    index,
    tabIndex(at) {
      if (options.rows().length <= MAX_TAB_STOPS) return undefined;
      return at === Math.max(index.value, 0) ? undefined : -1;
    },
    onFocusIn({ target }) {
      const at = Number(rowOf(target)?.dataset["index"] ?? -1);
      id.value = options.rows()[at]?.id ?? id.value;
    },
    onKey(event) {
      const row = rowOf(event.target);
      if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
      const at = Number(row.dataset["index"]);
      const targets: Record<string, number> = {
        ArrowDown: at + 1,
        ArrowUp: at - 1,
        PageDown: at + PAGE_ROWS,
        PageUp: at - PAGE_ROWS,
        Home: 0,
        End: options.rows().length - 1,
      };
      const target = targets[event.key];
      if (target === undefined) return;
      event.preventDefault();
      const part = (event.target as HTMLElement).dataset["rowPart"] ?? "link";
      void focus(target, part);
    },
  };
}
