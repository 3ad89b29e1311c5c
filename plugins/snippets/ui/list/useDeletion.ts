import { api, useToast } from "@gantry/ui-kit";
import { onScopeDispose, shallowRef, type Ref } from "vue";
import { createDraftStore } from "../editor/useStoredDraft.ts";

/** Something with a name that can be deleted. */
interface Deletable {
  id: string;
  title: string;
}

/** Deletes snippets, with a few seconds for second thoughts. */
export interface Deletion {
  /** Those on their way out: they are not shown any more. */
  readonly hidden: Readonly<Ref<ReadonlySet<string>>>;
  remove(snippet: Deletable): void;
  /** Takes the last one back. */
  undo(): void;
}

const undoMs = 6_000;

/** Makes the deletion. `refresh` reads the list again. */
export function useDeletion(refresh: () => Promise<void>): Deletion {
  const toast = useToast();
  const hidden = shallowRef<ReadonlySet<string>>(new Set());
  const waiting = new Map<string, { timer: number; run: () => void }>();

  function hide(id: string, isHidden: boolean): void {
    const next = new Set(hidden.value);
    if (isHidden) next.add(id);
    else next.delete(id);
    hidden.value = next;
  }

  function takeBack(id: string): void {
    clearTimeout(waiting.get(id)?.timer);
    toast.hide(`snippets-${id}`);
    if (waiting.delete(id)) hide(id, false);
  }

  async function send({ id, title }: Deletable): Promise<void> {
    waiting.delete(id);
    try {
      await api.delete(`/api/snips/${id}`);
      createDraftStore(id).clear();
      await refresh();
    } catch (thrown) {
      toast.failure(`"${title}" was not deleted`, thrown);
    }
    hide(id, false);
  }

  function flush(): void {
    for (const { timer, run } of [...waiting.values()]) {
      clearTimeout(timer);
      run();
    }
  }
  // What was deleted is deleted, also if the user leaves before the time for second thoughts is over.
  window.addEventListener("pagehide", flush);
  onScopeDispose(() => {
    window.removeEventListener("pagehide", flush);
    flush();
  });

  return {
    hidden,
    remove(snippet) {
      const { id, title } = snippet;
      if (waiting.has(id)) return;
      const run = () => void send(snippet);
      hide(id, true);
      waiting.set(id, { run, timer: window.setTimeout(run, undoMs) });
      toast.show({
        id: `snippets-${id}`,
        title: "Deleted",
        detail: title,
        durationMs: undoMs,
        actions: [{ label: "Undo", run: () => takeBack(id) }],
      });
    },
    undo() {
      const last = [...waiting.keys()].at(-1);
      if (last !== undefined) takeBack(last);
    },
  };
}
