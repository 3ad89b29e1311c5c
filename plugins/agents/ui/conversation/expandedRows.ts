import { inject, provide, shallowRef, type InjectionKey } from "vue";

/** Which rows are expanded. It outlives the rows, which are unmounted on scrolling. */
export interface ExpandedRows {
  has(key: string): boolean;
  toggle(key: string): void;
  /** Call it before a click changes the height of a row, so that the row stays under the pointer. With a `key`, that row is
   * then scrolled into view as far as it fits. */
  keepPlace(key?: string): void;
}

const expandedRowsKey: InjectionKey<ExpandedRows> = Symbol(
  "gantry-agents-expanded-rows",
);

/** Provides the state to descendants. `keepPlace` is called before a row changes its height. */
export function provideExpandedRows(keepPlace: (key?: string) => void): void {
  const keys = shallowRef<ReadonlySet<string>>(new Set());
  provide(expandedRowsKey, {
    keepPlace,
    has: (key) => keys.value.has(key),
    toggle(key) {
      keepPlace(key);
      const next = new Set(keys.value);
      if (!next.delete(key)) next.add(key);
      keys.value = next;
    },
  });
}

/** Injects the state in a row. Throws outside a conversation. */
export function useExpandedRows(): ExpandedRows {
  const expandedRows = inject(expandedRowsKey);
  if (!expandedRows)
    throw new Error(
      "Use it below a conversation, which provides the expanded rows.",
    );
  return expandedRows;
}
