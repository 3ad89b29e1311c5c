import type { PaletteItem } from "@gantry/ui-kit";

/** Makes the search for the command palette, whose code is loaded when the palette first asks. */
export function createLazySearch(): (
  query: string,
  signal: AbortSignal,
) => Promise<readonly PaletteItem[]> {
  let loading:
    Promise<{ search: ReturnType<typeof createLazySearch> }> | undefined;
  return async (query, signal) => {
    loading ??= import("./createAppSearch.ts").then(({ createAppSearch }) => ({
      search: createAppSearch(),
    }));
    // What could not be loaded is tried again with the next letter.
    loading.catch(() => (loading = undefined));
    return (await loading).search(query, signal);
  };
}
