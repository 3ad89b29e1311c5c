import { inject, provide, shallowRef, type InjectionKey } from "vue";

/** Which rows are unfolded. It outlives the rows, which come and go as the list is scrolled. */
export interface Unfolded {
  has(key: string): boolean;
  toggle(key: string): void;
  /** Has to be called before a row changes its height by a click, so that it stays under the pointer; one that is named is
   * shown as far as there is room. */
  holdPlace(key?: string): void;
}

const unfoldedKey: InjectionKey<Unfolded> = Symbol("gantry-agents-unfolded");

/** Makes it for everything below; `holdPlace` is called before something changes its height. */
export function provideUnfolded(holdPlace: (key?: string) => void): void {
  const keys = shallowRef<ReadonlySet<string>>(new Set());
  provide(unfoldedKey, {
    holdPlace,
    has: (key) => keys.value.has(key),
    toggle(key) {
      holdPlace(key);
      const next = new Set(keys.value);
      if (!next.delete(key)) next.add(key);
      keys.value = next;
    },
  });
}

/** Gives it to a row. */
export function useUnfolded(): Unfolded {
  const unfolded = inject(unfoldedKey);
  if (!unfolded) throw new Error("Rows are shown in a conversation.");
  return unfolded;
}
