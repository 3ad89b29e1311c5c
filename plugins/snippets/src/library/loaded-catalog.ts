import type { Collection } from "@gantry/plugin";
import type { Snippet } from "../contract.ts";
import { createCatalog } from "./catalog.ts";
import type { Catalog } from "./catalog.ts";

const PAGE = 500;

/**
 * A catalog that is read from the store at the first search, so that a start does not depend on how many snippets there
 * are. Until then changes need not be reported to it, but may be.
 */
export interface LoadedCatalog extends Pick<Catalog, "put" | "drop"> {
  /** The catalog with all snippets. Rejects if they cannot be read; the next call tries again. */
  open(): Promise<Catalog>;
}

/** Creates the catalog of the stored snippets. */
export function createLoadedCatalog(
  snippets: Pick<Collection<Snippet>, "list">,
): LoadedCatalog {
  let catalog: Catalog | undefined;
  let loading: Promise<Catalog> | undefined;
  /** Snippets that were removed while a page with them was on its way. */
  const removed = new Set<string>();

  async function load(): Promise<Catalog> {
    const loaded = (catalog = createCatalog());
    let cursor: string | undefined;
    do {
      const page = await snippets.list({ limit: PAGE, cursor });
      for (const snippet of page.items)
        if (!removed.has(snippet.id)) loaded.put(snippet);
      cursor = page.nextCursor ?? undefined;
      // A storage that answers at once would keep all other requests waiting.
      await new Promise((resolve) => setImmediate(resolve));
    } while (cursor !== undefined);
    return loaded;
  }

  return {
    put: (snippet) => catalog?.put(snippet),
    drop(id) {
      if (loading) removed.add(id);
      catalog?.drop(id);
    },
    open() {
      if (catalog && !loading) return Promise.resolve(catalog);
      return (loading ??= load()
        .catch((error: unknown) => {
          catalog = undefined;
          throw error;
        })
        .finally(() => {
          loading = undefined;
          removed.clear();
        }));
    },
  };
}
