import { ref, watch, type Ref } from "vue";
import type { Entry } from "../wire.ts";
import type { ConversationState } from "./conversationState.ts";

const MAX_ANNOUNCED_LENGTH = 400;

/**
 * Announcements of a conversation for screen readers: the start of a turn, dialogs, complete answers, and that a turn was
 * cut off. Streamed text is not announced word by word.
 */
export function useAnnouncer(
  state: Readonly<Ref<ConversationState>>,
  entries: Readonly<Ref<readonly Entry[]>>,
  agentName: () => string,
): Readonly<Ref<string>> {
  const announcement = ref("");
  watch(
    () => state.value.turn?.id,
    (turn, before) => {
      if (turn !== undefined) announcement.value = `${agentName()} is working.`;
      else if (before !== undefined)
        announcement.value = endOf(entries.value, before);
    },
  );
  watch(
    () => state.value.dialogs[0],
    (dialog) => {
      if (dialog) announcement.value = `${agentName()} asks: ${dialog.title}`;
    },
  );
  // The daemon was not running when the turn ended, so its last entry is loaded later.
  watch(
    () => {
      const last = entries.value.at(-1);
      return last?.cutOff ? last.text : undefined;
    },
    (text) => {
      if (text !== undefined) announcement.value = text;
    },
  );
  return announcement;
}

/** The announcement for the end of a turn. */
function endOf(entries: readonly Entry[], turnId: string): string {
  const last = entries.findLast(
    (entry) =>
      entry.turnId === turnId &&
      (entry.kind === "error" ||
        (entry.kind === "text" && entry.role === "assistant")),
  );
  if (!last) return "The turn has ended.";
  const text =
    last.text.length > MAX_ANNOUNCED_LENGTH
      ? `${last.text.slice(0, MAX_ANNOUNCED_LENGTH)}…`
      : last.text;
  if (last.cutOff) return text;
  return last.kind === "error" ? `The turn failed: ${text}` : `Answer: ${text}`;
}
