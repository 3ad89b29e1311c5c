import { nextTick } from "vue";
import { useRoute, useRouter, type LocationQueryRaw } from "vue-router";

/** What a reader chose in a block: a search, a sort, a tab. It is in the address, so that going back and a link keep it. */
export interface BlockMemory {
  read(field: string): string | undefined;
  /** `undefined` forgets it. */
  write(field: string, value: string | undefined): void;
}

/** Keeps what is chosen in a block in the address of the page, under the block's name. */
export function useBlockMemory(blockName: () => string): BlockMemory {
  const route = useRoute();
  const router = useRouter();
  const { path } = route;
  const page = route.query["path"];
  let pending: LocationQueryRaw | undefined;

  async function flush(): Promise<void> {
    // Several changes at once are one change of the address.
    await nextTick();
    const changes = pending;
    pending = undefined;
    // A reader who has left for another page stays there.
    if (route.path !== path || route.query["path"] !== page) return;
    await router.replace({ path, query: { ...route.query, ...changes } });
  }

  return {
    read(field) {
      const value = route.query[`${blockName()}.${field}`];
      return typeof value === "string" ? value : undefined;
    },
    write(field, value) {
      const isPlanned = pending !== undefined;
      pending = { ...pending, [`${blockName()}.${field}`]: value };
      if (!isPlanned) void flush();
    },
  };
}
