import { api, useResource, useToast, type Resource } from "@gantry/ui-kit";
import {
  computed,
  shallowRef,
  watch,
  type ComputedRef,
  type ShallowRef,
} from "vue";
import { useRoute, useRouter } from "vue-router";
import type { ListOf, Tab } from "../wire.ts";

/** The open tabs and their actions. The page's address selects the tab that is shown. */
export interface Tabs {
  readonly resource: Resource<ListOf<Tab>>;
  readonly list: ComputedRef<readonly Tab[]>;
  readonly current: ComputedRef<Tab | undefined>;
  /** Why the last tab could not be opened. */
  readonly problem: Readonly<ShallowRef<unknown>>;
  readonly isOpening: Readonly<ShallowRef<boolean>>;
  select(id: string | undefined): void;
  /** Clears `problem`. */
  dismiss(): void;
  open(url: string): Promise<void>;
  close(id: string): Promise<void>;
  lend(id: string, agentId: string | null): Promise<void>;
}

const path = "/api/browser/tabs";

/**
 * Follows the tabs of all running browsers.
 *
 * @param isUsed Whether the user has just clicked or typed in the shown tab. If so, a tab that opens now is shown.
 */
export function useTabs(isUsed: () => boolean): Tabs {
  const route = useRoute();
  const router = useRouter();
  const toast = useToast();
  const resource = useResource<ListOf<Tab>>(path, {
    refreshOn: ["browser.tabs-changed"],
  });
  const list = computed(() => resource.data.value?.items ?? []);
  const problem = shallowRef<unknown>();
  const isOpening = shallowRef(false);
  /** The last shown tab. It is kept when its browser ends, so that it can be opened again. */
  const last = shallowRef<Tab>();
  const current = computed(() => {
    const id = route.query["tab"];
    if (id === "new") return undefined;
    const kept = last.value?.id === id ? last.value : undefined;
    return list.value.find((tab) => tab.id === id) ?? kept ?? list.value[0];
  });
  watch(current, (tab) => {
    last.value = tab;
    if (tab && route.query["tab"] !== tab.id) select(tab.id);
  });
  const select = (id: string | undefined): void =>
    void router.replace({ query: { tab: id ?? "new" } });

  watch(list, (now, before) => {
    const known = new Set(before.map(({ id }) => id));
    const opened = now.filter(({ id }) => !known.has(id));
    if (known.size > 0 && opened.length === 1 && isUsed())
      select(opened[0]!.id);
  });

  return {
    resource,
    list,
    current,
    problem,
    isOpening,
    select,
    dismiss: () => void (problem.value = undefined),
    async open(url) {
      isOpening.value = true;
      problem.value = undefined;
      try {
        const { id } = await api.post<Tab>(path, { body: { url } });
        await resource.refresh();
        select(id);
      } catch (thrown) {
        problem.value = thrown;
      } finally {
        isOpening.value = false;
      }
    },
    async close(id) {
      const index = list.value.findIndex((tab) => tab.id === id);
      const next = list.value[index + 1] ?? list.value[index - 1];
      const wasShown = current.value?.id === id;
      try {
        await api.delete(`${path}/${id}`);
      } catch (thrown) {
        toast.failure("The tab was not closed", thrown);
        return;
      }
      last.value = undefined;
      if (wasShown) select(next?.id);
      await resource.refresh();
    },
    async lend(id, agentId) {
      try {
        await api.post(`${path}/${id}/lend`, { body: { agentId } });
        await resource.refresh();
      } catch (thrown) {
        toast.failure("The tab was not shared", thrown);
      }
    },
  };
}
