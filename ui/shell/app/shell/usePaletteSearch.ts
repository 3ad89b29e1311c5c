import { isAbort, type PaletteItem } from "@gantry/ui-kit";
import { useKit } from "@gantry/ui-kit/host";
import { onScopeDispose, shallowRef, watch, type Ref } from "vue";
import { useShell } from "./useShell.ts";

const typingMs = 140;
const shortestQuery = 2;
/** Most lines that one plugin gives while nothing is typed. */
const mostRecent = 6;

/**
 * Asks the plugins what they find: at once for what is recent, and while the user types. One that fails or is slow costs
 * only its own results.
 */
export function usePaletteSearch(query: Ref<string>): {
  found: Ref<readonly PaletteItem[]>;
  searching: Ref<boolean>;
} {
  const { plugins } = useShell();
  const { report } = useKit();
  const found = shallowRef<readonly PaletteItem[]>([]);
  const searching = shallowRef(false);
  let recent: readonly PaletteItem[] = [];
  let abort: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function askEach(
    text: string,
    signal: AbortSignal,
  ): Promise<PaletteItem[][]> {
    return Promise.all(
      plugins.searches.value.map(async ({ plugin, search }) => {
        try {
          return (await search(text, signal)).map((item) => ({
            ...item,
            id: `${plugin}/${item.id}`,
          }));
        } catch (thrown) {
          if (!isAbort(thrown)) report(thrown, plugin);
          return [];
        }
      }),
    );
  }

  async function ask(text: string): Promise<void> {
    const current = new AbortController();
    abort = current;
    searching.value = true;
    const answers = await askEach(text, current.signal);
    if (abort !== current) return;
    found.value = answers.flat();
    searching.value = false;
  }

  /** Without a progress indicator: the palette can be used all the same. */
  async function askForRecent(): Promise<void> {
    const leaving = new AbortController();
    onScopeDispose(() => leaving.abort());
    const answers = await askEach("", leaving.signal);
    recent = answers.flatMap((items) => items.slice(0, mostRecent));
    if (query.value.trim() === "") found.value = recent;
  }

  function stop(): void {
    clearTimeout(timer);
    abort?.abort();
    abort = undefined;
    searching.value = false;
  }

  watch(query, (typed) => {
    stop();
    const text = typed.trim();
    if (text === "") found.value = recent;
    else if (text.length < shortestQuery) found.value = [];
    else timer = setTimeout(() => void ask(text), typingMs);
  });
  void askForRecent();
  onScopeDispose(stop);
  return { found, searching };
}
