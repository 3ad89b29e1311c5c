import { api, useToast } from "@gantry/ui-kit";
import { computed, shallowRef, watch, type ComputedRef, type Ref } from "vue";
import type { ListedApp } from "../wire.ts";
import { moveItem } from "./moveItem.ts";

/** The apps in the user's order, which can be changed. */
export interface AppOrder {
  readonly apps: ComputedRef<readonly ListedApp[] | undefined>;
  /** Shows an app in another place; it is not saved yet. */
  move(id: string, to: number): void;
  /** Saves the order that is shown. If that fails, the order before is shown again. */
  save(): Promise<void>;
}

/** Keeps the order of the apps: shown at once, saved one after the other, taken back if it could not be saved. */
export function useAppOrder(
  listed: Readonly<Ref<readonly ListedApp[] | undefined>>,
): AppOrder {
  const toast = useToast();
  /** What the user made of the order; `undefined` while it is that of the daemon. */
  const wished = shallowRef<readonly string[]>();
  let isSaving = false;

  const apps = computed(() => {
    const order = wished.value;
    if (!order || !listed.value) return listed.value;
    const placeOf = ({ id }: ListedApp) => {
      const place = order.indexOf(id);
      return place < 0 ? order.length : place;
    };
    return listed.value.toSorted((one, other) => placeOf(one) - placeOf(other));
  });
  // The daemon's list has come to what was wished.
  watch(listed, (list) => {
    if (isSaving || !list || !wished.value) return;
    if (list.map(({ id }) => id).join() === wished.value.join())
      wished.value = undefined;
  });

  const ids = () => apps.value?.map(({ id }) => id) ?? [];

  async function save(): Promise<void> {
    if (isSaving || !wished.value) return;
    isSaving = true;
    try {
      let sent: readonly string[];
      do {
        sent = wished.value;
        await api.put("/api/apps/order", { body: { ids: sent } });
        // It may have been changed meanwhile.
      } while (sent !== wished.value);
    } catch (thrown) {
      const failed = wished.value;
      wished.value = undefined;
      toast.show({
        id: "apps-order",
        title: "The order was not saved",
        detail: thrown instanceof Error ? thrown.message : undefined,
        tone: "failed",
        durationMs: 0,
        actions: [
          {
            label: "Try again",
            run: () => {
              wished.value = failed;
              void save();
            },
          },
        ],
      });
    } finally {
      isSaving = false;
    }
  }

  return {
    apps,
    move(id, to) {
      const before = ids();
      const from = before.indexOf(id);
      if (from < 0 || from === to) return;
      wished.value = moveItem(before, from, to);
    },
    save,
  };
}
