import { api, isAbort, useToast } from "@gantry/ui-kit";
import { shallowRef } from "vue";
import type { InboxItem, InboxItemState } from "../../src/contract.ts";

/** States as the user set them, which what was read from the daemon may not know yet. */
export interface ItemStates {
  /** The item as it is for the user now. */
  current(item: InboxItem): InboxItem;
  /**
   * Sets a state: at once to the eye, and at the daemon after what was set of this item before.
   *
   * @param failure What to say if the daemon refuses.
   * @returns whether the daemon took it.
   */
  set(
    item: InboxItem,
    state: InboxItemState,
    failure: string,
  ): Promise<boolean>;
}

interface OwnState {
  state: InboxItemState;
  /** The revision that has it; every older one is out of date. */
  since: number;
}

/** Makes the states of a page's items. */
export function useItemStates(): ItemStates {
  const toast = useToast();
  const own = shallowRef<ReadonlyMap<string, OwnState>>(new Map());
  const queues = new Map<string, Promise<unknown>>();

  function remember(id: string, next: OwnState | undefined): void {
    const states = new Map(own.value);
    if (next) states.set(id, next);
    else states.delete(id);
    own.value = states;
  }

  async function send(
    id: string,
    wanted: OwnState,
    failure: string,
  ): Promise<boolean> {
    // A later change of the same item counts, whether this one fails or not.
    const isLast = () => own.value.get(id) === wanted;
    try {
      const { revision } = await api.post<InboxItem>(`/api/inbox/${id}/state`, {
        body: { state: wanted.state },
      });
      if (isLast()) remember(id, { state: wanted.state, since: revision });
      return true;
    } catch (thrown) {
      if (isLast()) remember(id, undefined);
      if (!isAbort(thrown)) toast.failure(failure, thrown);
      return false;
    }
  }

  return {
    current(item) {
      const known = own.value.get(item.id);
      return known && item.revision < known.since
        ? { ...item, state: known.state }
        : item;
    },
    set({ id }, state, failure) {
      const wanted = { state, since: Number.POSITIVE_INFINITY };
      remember(id, wanted);
      // Two requests at once could arrive in the other order.
      const sent = (queues.get(id) ?? Promise.resolve()).then(() =>
        send(id, wanted, failure),
      );
      queues.set(id, sent);
      void sent.then(() => {
        if (queues.get(id) === sent) queues.delete(id);
      });
      return sent;
    },
  };
}
