import { watch } from "vue";
import type { Conversation } from "./useConversation.ts";

/** Far more than the runs of a year have; a run that is older is not looked for. */
const MAX_PAGES = 50;

/**
 * Shows where a run of an automation begins as soon as that is read, and reads older entries until then. A run that is
 * not in the conversation changes nothing.
 *
 * @param show Shows the entry that a run begins with.
 */
export function useShownRun(
  conversation: Conversation,
  runId: () => string | undefined,
  show: (entryId: string) => void,
): void {
  const { entries, state, loadingOlder, olderError } = conversation;
  /** The run that is looked for. */
  let wanted: string | undefined;
  let pages = 0;

  function look(): void {
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
  // After the rows are drawn from the same entries.
  watch([runId, entries, loadingOlder, olderError], look, {
    immediate: true,
    flush: "post",
  });
}
