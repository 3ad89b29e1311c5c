import { api, toApiError, useToast, type ApiError } from "@gantry/ui-kit";
import { computed, ref, shallowRef, type Ref, type ShallowRef } from "vue";
import type { TextFile, WrittenText } from "../repository/wire.ts";

/** A text file that is read, changed and written. */
export interface OpenText {
  /** As it was read or written last. */
  readonly file: Readonly<ShallowRef<TextFile | undefined>>;
  readonly error: Readonly<ShallowRef<ApiError | undefined>>;
  /** As it is in the editor. */
  readonly text: Ref<string>;
  readonly isDirty: Readonly<Ref<boolean>>;
  readonly isSaving: Readonly<Ref<boolean>>;
  /** What is on the disk in place of what was read; `null` if the file is gone. Saving waits until it is settled. */
  readonly conflict: Readonly<ShallowRef<TextFile | null | undefined>>;
  /** Why the last try to save failed. */
  readonly failure: Readonly<ShallowRef<ApiError | undefined>>;
  load(): Promise<void>;
  save(): Promise<void>;
  /** Checks whether the file has changed: one without edits here is shown again. */
  check(): Promise<void>;
  takeTheirs(): void;
  /** Writes what is in the editor over what is on the disk. */
  keepMine(): Promise<void>;
}

/**
 * Opens a text file.
 *
 * @param replaced The text in the editor is to be another.
 */
export function useTextFile(
  agentId: string,
  path: string,
  replaced: (text: string) => void,
): OpenText {
  const toast = useToast();
  const address = `/api/agents/${agentId}/text`;
  const file = shallowRef<TextFile>();
  const error = shallowRef<ApiError>();
  const failure = shallowRef<ApiError>();
  const conflict = shallowRef<TextFile | null>();
  const text = ref("");
  const isSaving = ref(false);
  const isDirty = computed(
    () => file.value !== undefined && text.value !== file.value.text,
  );

  const read = () => api.get<TextFile>(address, { query: { path } });

  function show(next: TextFile): void {
    file.value = next;
    text.value = next.text;
    replaced(next.text);
  }

  async function load(): Promise<void> {
    error.value = undefined;
    try {
      show(await read());
    } catch (thrown) {
      error.value = toApiError(thrown);
    }
  }

  /** What is on the disk; `null` if there is nothing. */
  async function readTheirs(): Promise<TextFile | null> {
    try {
      return await read();
    } catch (thrown) {
      if (toApiError(thrown).status === 404) return null;
      throw thrown;
    }
  }

  async function write(mtime: number | null): Promise<void> {
    const written = text.value;
    isSaving.value = true;
    failure.value = undefined;
    try {
      const { notices, ...answer } = await api.put<WrittenText>(address, {
        body: { path, text: written, mtime },
      });
      file.value = { ...answer, text: written };
      for (const detail of notices)
        toast.show({ title: "Saved", detail, durationMs: 0 });
      conflict.value = undefined;
    } catch (thrown) {
      const problem = toApiError(thrown);
      if (problem.code === "FILE_CHANGED")
        conflict.value = await readTheirs().catch(() => undefined);
      failure.value = conflict.value === undefined ? problem : undefined;
    } finally {
      isSaving.value = false;
    }
  }

  return {
    file,
    error,
    text,
    isDirty,
    isSaving,
    conflict,
    failure,
    load,
    async save() {
      if (!file.value || !isDirty.value || isSaving.value) return;
      await write(file.value.mtime);
    },
    async check() {
      if (!file.value || isSaving.value || conflict.value !== undefined) return;
      const known = file.value.mtime;
      const theirs = await readTheirs().catch(() => undefined);
      if (theirs === undefined || file.value?.mtime !== known) return;
      if (theirs?.mtime === known) return;
      if (theirs && theirs.text === text.value) file.value = theirs;
      else if (isDirty.value || theirs === null) conflict.value = theirs;
      else show(theirs);
    },
    takeTheirs() {
      const theirs = conflict.value;
      conflict.value = undefined;
      if (theirs) show(theirs);
    },
    keepMine: () => write(conflict.value?.mtime ?? null),
  };
}
