import { onScopeDispose, ref, shallowRef, type Ref } from "vue";
import { pickImages } from "./images.ts";

/** An image attached to the next message. */
export interface AttachedImage {
  id: number;
  file: File;
  /** Object URL of the preview. */
  preview: string;
}

/** The images attached to the next message. */
export interface ComposerImages {
  readonly items: Readonly<Ref<readonly AttachedImage[]>>;
  /** Why a file was rejected last. */
  readonly problem: Ref<string | undefined>;
  add(files: Iterable<File>): void;
  remove(id: number): void;
  clear(): void;
}

/** Manages the images of the next message. `refused` returns the reason if images cannot be attached at all. */
export function useImages(refused: () => string | undefined): ComposerImages {
  const items = shallowRef<readonly AttachedImage[]>([]);
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
      const { taken, problem: found } = pickImages(given, items.value.length);
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
      const gone = items.value.find((image) => image.id === id);
      if (gone) URL.revokeObjectURL(gone.preview);
      items.value = items.value.filter((image) => image.id !== id);
      problem.value = undefined;
    },
  };
}
