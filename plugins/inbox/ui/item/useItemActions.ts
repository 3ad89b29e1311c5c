import { api, useToast } from "@gantry/ui-kit";
import { onScopeDispose, ref, shallowRef, type Ref } from "vue";
import type { InboxItem } from "../../src/contract.ts";
import { useItemStates } from "./useItemStates.ts";

const UNDO_MS = 6_000;

/** What can be done with items, each at once to the eye and with a way back. */
export interface ItemActions {
  /** Items that are on their way out: they are not shown any more. */
  readonly hidden: Readonly<Ref<ReadonlySet<string>>>;
  /** An item as the actions left it, which what was read of it may not show yet. */
  current(item: InboxItem): InboxItem;
  read(item: InboxItem): Promise<void>;
  unread(item: InboxItem): Promise<void>;
  /** @returns whether it went; an item that needs an answer stays. */
  finish(item: InboxItem): boolean;
  remove(item: InboxItem): void;
  /** Takes the last of these back. */
  undo(): void;
}

/** Makes the actions. `refresh` reads the list again. */
export function useItemActions(refresh: () => Promise<void>): ItemActions {
  const toast = useToast();
  const states = useItemStates();
  const hidden = shallowRef<ReadonlySet<string>>(new Set());
  const lastUndo = ref<() => void>();
  const deletions = new Map<
    string,
    { timer: ReturnType<typeof setTimeout>; run: () => void }
  >();

  function hide(id: string, isHidden: boolean): void {
    const next = new Set(hidden.value);
    if (isHidden) next.add(id);
    else next.delete(id);
    hidden.value = next;
  }

  function offerUndo(item: InboxItem, title: string, undo: () => void): void {
    const id = `inbox-${item.id}`;
    const run = () => {
      if (lastUndo.value === run) lastUndo.value = undefined;
      toast.hide(id);
      undo();
    };
    lastUndo.value = run;
    toast.show({
      id,
      title,
      detail: item.title,
      durationMs: UNDO_MS,
      actions: [{ label: "Undo", run }],
    });
  }

  async function sendDeletion(item: InboxItem): Promise<void> {
    deletions.delete(item.id);
    try {
      await api.delete(`/api/inbox/${item.id}`);
      await refresh();
    } catch (thrown) {
      toast.failure("It could not be deleted", thrown);
    }
    hide(item.id, false);
  }

  async function sendFinish(item: InboxItem): Promise<void> {
    hide(item.id, true);
    if (await states.set(item, "done", "It could not be marked as done"))
      await refresh();
    hide(item.id, false);
  }

  function flush(): void {
    for (const { timer, run } of [...deletions.values()]) {
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
    current: states.current,
    async read(item) {
      if (states.current(item).state === "unread")
        await states.set(item, "read", "It could not be marked as read");
    },
    async unread(item) {
      if (states.current(item).state !== "unread")
        await states.set(item, "unread", "It could not be marked as unread");
    },
    finish(item) {
      if (item.dialog?.open) {
        toast.show({
          id: `inbox-${item.id}`,
          title: "This one waits for an answer",
          detail: "Answer or dismiss it, then it is done by itself.",
          tone: "attention",
        });
        return false;
      }
      const before = states.current(item).state;
      void sendFinish(item);
      offerUndo(
        item,
        "Marked as done",
        () => void states.set(item, before, "It could not be taken back"),
      );
      return true;
    },
    remove(item) {
      hide(item.id, true);
      const run = () => void sendDeletion(item);
      deletions.set(item.id, { run, timer: setTimeout(run, UNDO_MS) });
      offerUndo(item, "Deleted", () => {
        clearTimeout(deletions.get(item.id)?.timer);
        if (deletions.delete(item.id)) hide(item.id, false);
      });
    },
    undo: () => lastUndo.value?.(),
  };
}
