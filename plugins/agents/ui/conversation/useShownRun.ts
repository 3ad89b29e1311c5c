import { watch } from "vue";
import type { Conversation } from "./useConversation.ts";

/** Limit of a search; a year of runs takes far fewer pages. */
const MAX_PAGES = 50;

/**
 * Scrolls to the start of an automation run, loading older entries until it is found. Does nothing if the run is not in the
 * conversation.
 *
 * @param show Scrolls to the first entry of the run.
 */
export function useShownRun(
  conversation: Conversation,
  runId: () => string | undefined,
  show: (entryId: string) => void,
): void {
  const { entries, state, loadingOlder, olderError } = conversation;
  /** Id of the run to find; `undefined` when the search has ended. */
  let wanted: string | undefined;
  let pages = 0;

  function search(): void {
    if (wanted === undefined || loadingOlder.value || olderError.value) return;
    const found = entries.value.find(
      ({ message }) => message?.runId === wanted,
    );
    const { older } = state.value;
    if (found) show(found.id);
    else if (older === undefined) return;
    else if (older !== null && pages < MAX_PAGES) {
      pages += 1;
      return void conversation.loadOlder();
    }
    wanted = undefined;
  }

  watch(
    runId,
    (id) => {
      wanted = id;
      pages = 0;
    },
    { immediate: true },
  );
  // After the rows of the same entries are rendered.
  watch([runId, entries, loadingOlder, olderError], search, {
    immediate: true,
    flush: "post",
  });
}
