import { nextTick, type Ref } from "vue";

/** Moves the keyboard's focus along the rows of a list. */
export interface RowFocus {
  /** Id of the item whose row has the focus. */
  current(): string | undefined;
  focus(id: string): Promise<void>;
}

/** Finds rows by `data-item` inside an element. */
export function useRowFocus(root: Readonly<Ref<HTMLElement | null>>): RowFocus {
  return {
    current: () => {
      const focused = document.activeElement;
      return focused instanceof HTMLElement && root.value?.contains(focused)
        ? focused.dataset["item"]
        : undefined;
    },
    async focus(id) {
      await nextTick();
      root.value
        ?.querySelector<HTMLElement>(`[data-item="${CSS.escape(id)}"]`)
        ?.focus();
    },
  };
}
