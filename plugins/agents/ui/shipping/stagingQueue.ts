import { computed, shallowRef, type ComputedRef, type Ref } from "vue";
import type { Marks } from "./stagedParts.ts";

/** Changes of what is staged, one after the other: git locks it. */
export interface StagingQueue {
  /** How files are shown until what was done is read, by their path. */
  readonly shown: Readonly<Ref<ReadonlyMap<string, Marks>>>;
  /** What is staged is not known for sure. */
  readonly isBusy: ComputedRef<boolean>;
  /** Shows marks at once, and takes them back if the work fails. Never rejects. */
  add(
    marks: ReadonlyMap<string, Marks>,
    work: () => Promise<unknown>,
    fail: (thrown: unknown) => void,
  ): Promise<void>;
}

/**
 * @param read Reads what is staged, after the last of those that were added.
 * @param readMarks Waits until the marks are read too.
 */
export function createStagingQueue(
  read: () => Promise<void>,
  readMarks: () => Promise<void>,
): StagingQueue {
  const shown = shallowRef<ReadonlyMap<string, Marks>>(new Map());
  const waiting = shallowRef(0);
  let last = Promise.resolve();

  async function take(
    marks: ReadonlyMap<string, Marks>,
    work: () => Promise<unknown>,
    fail: (thrown: unknown) => void,
  ): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      // Those that were put in their place since stay.
      shown.value = new Map(
        [...shown.value].filter(([path, own]) => marks.get(path) !== own),
      );
      fail(thrown);
    }
    if (waiting.value === 1) await read();
    waiting.value -= 1;
    if (waiting.value > 0) return;
    await readMarks();
    if (waiting.value === 0) shown.value = new Map();
  }

  return {
    shown,
    isBusy: computed(() => waiting.value > 0),
    add(marks, work, fail) {
      shown.value = new Map([...shown.value, ...marks]);
      waiting.value += 1;
      last = last.then(() => take(marks, work, fail));
      return last;
    },
  };
}
