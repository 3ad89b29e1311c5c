import { computed, shallowRef, type ComputedRef } from "vue";
import type { Row } from "../wire.ts";

/** Rows that are chosen for an action on all of them. */
export interface Selection {
  /** Ids of the rows that are chosen and shown, in their order. */
  readonly ids: ComputedRef<readonly string[]>;
  readonly areAll: ComputedRef<boolean>;
  has(id: string): boolean;
  /** Chooses a row or not; with `isRange` all between it and the one before. */
  toggle(id: string, isRange: boolean): void;
  toggleAll(): void;
  clear(): void;
}

/** Lets rows be chosen. One that is gone, or that the search hides, takes no part. */
export function useSelection(rows: () => readonly Row[]): Selection {
  const chosen = shallowRef<ReadonlySet<string>>(new Set());
  let last: string | undefined;

  const ids = computed(() =>
    rows()
      .map(({ id }) => id)
      .filter((id) => chosen.value.has(id)),
  );
  const areAll = computed(
    () => rows().length > 0 && ids.value.length === rows().length,
  );

  function between(one: string, other: string): string[] {
    const all = rows().map(({ id }) => id);
    const places = [all.indexOf(one), all.indexOf(other)].sort(
      (first, second) => first - second,
    );
    const [from = -1, to = -1] = places;
    return from < 0 ? [other] : all.slice(from, to + 1);
  }

  return {
    ids,
    areAll,
    has: (id) => chosen.value.has(id),
    toggle(id, isRange) {
      const next = new Set(chosen.value);
      const isChosen = !next.has(id);
      const affected = isRange && last !== undefined ? between(last, id) : [id];
      for (const each of affected) {
        if (isChosen) next.add(each);
        else next.delete(each);
      }
      chosen.value = next;
      last = id;
    },
    toggleAll() {
      chosen.value = areAll.value
        ? new Set()
        : new Set(rows().map(({ id }) => id));
    },
    clear() {
      chosen.value = new Set();
      last = undefined;
    },
  };
}
