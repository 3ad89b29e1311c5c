import { useSettled } from "@gantry/ui-kit";
import {
  computed,
  ref,
  shallowRef,
  watch,
  type ComputedRef,
  type Ref,
} from "vue";
import { cellText } from "../cells/cellText.ts";
import { useBlockMemory } from "../view/useBlockMemory.ts";
import type { Row, RowsBlock } from "../wire.ts";
import {
  filterRows,
  keepOrder,
  readSort,
  sortRows,
  TITLE_KEY,
  writeSort,
  type Sort,
} from "./filterRows.ts";

/** Rows of a block as the reader wants them. */
export interface ShownRows {
  /** What is typed into the search. */
  readonly text: Ref<string>;
  /** What is searched for: the text once typing rests. */
  readonly asked: Readonly<Ref<string>>;
  readonly sort: Readonly<Ref<Sort | undefined>>;
  readonly rows: ComputedRef<readonly Row[]>;
  /** Keeps rows where they are while the pointer or the focus is in one. */
  readonly isHeld: Ref<boolean>;
  setSort(sort: Sort | undefined): void;
  clear(): void;
}

const TYPING_MS = 150;

/** Searches and sorts the rows of a block, and keeps both in the address. */
export function useRows(props: { block: RowsBlock; name: string }): ShownRows {
  const memory = useBlockMemory(() => props.name);
  const text = ref(memory.read("q") ?? "");
  const asked = useSettled(() => text.value, TYPING_MS);
  const isHeld = ref(false);

  const keys = () => [TITLE_KEY, ...props.block.columns.map(({ key }) => key)];
  const standard = () =>
    props.block.type === "table" ? props.block.sort : undefined;
  const chosen = shallowRef(readSort(memory.read("sort"), keys()));
  const sort = computed(() => chosen.value ?? standard());

  watch(asked, (query) => memory.write("q", query.trim() || undefined));

  const version = computed(
    () => `${writeSort(sort.value) ?? ""} ${asked.value}`,
  );
  const wished = computed(() =>
    sortRows(filterRows(props.block.rows, asked.value, cellText), sort.value),
  );
  const shown = computed<{ version: string; rows: readonly Row[] }>(
    (before) => ({
      version: version.value,
      rows:
        isHeld.value && before?.version === version.value
          ? keepOrder(before.rows, wished.value)
          : wished.value,
    }),
  );

  return {
    text,
    asked,
    sort,
    isHeld,
    rows: computed(() => shown.value.rows),
    setSort(next) {
      chosen.value = next;
      memory.write("sort", writeSort(next));
    },
    clear() {
      text.value = "";
    },
  };
}
