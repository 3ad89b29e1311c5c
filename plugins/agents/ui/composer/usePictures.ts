import { onScopeDispose, ref, shallowRef, type Ref } from "vue";
import { pickPictures } from "./pictures.ts";

/** A picture that goes with the next message. */
export interface Picture {
  id: number;
  file: File;
  /** Address of what is shown of it. */
  preview: string;
}

/** The pictures of the next message. */
export interface Pictures {
  readonly items: Readonly<Ref<readonly Picture[]>>;
  /** Why the last one was not taken. */
  readonly problem: Ref<string | undefined>;
  add(files: Iterable<File>): void;
  remove(id: number): void;
  clear(): void;
}

/** Keeps the pictures of the next message. `refused` says why none can be taken. */
export function usePictures(refused: () => string | undefined): Pictures {
  const items = shallowRef<readonly Picture[]>([]);
  const problem = ref<string>();
  let count = 0;

  function clear(): void {
    for (const { preview } of items.value) URL.revokeObjectURL(preview);
    items.value = [];
    problem.value = undefined;
  }

  onScopeDispose(clear);
  return {
    items,
    problem,
    clear,
    add(files) {
      const given = [...files];
      if (given.length === 0) return;
      problem.value = refused();
      if (problem.value !== undefined) return;
      const { taken, problem: found } = pickPictures(given, items.value.length);
      problem.value = found;
      items.value = [
        ...items.value,
        ...taken.map((file) => ({
          id: (count += 1),
          file,
          preview: URL.createObjectURL(file),
        })),
      ];
    },
    remove(id) {
      const gone = items.value.find((picture) => picture.id === id);
      if (gone) URL.revokeObjectURL(gone.preview);
      items.value = items.value.filter((picture) => picture.id !== id);
      problem.value = undefined;
    },
  };
}
