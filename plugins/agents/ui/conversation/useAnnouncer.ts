import { ref, watch, type Ref } from "vue";
import type { Entry } from "../wire.ts";
import type { ConversationState } from "./conversationState.ts";

const longest = 400;

/**
 * What is read aloud of a conversation: that work began, what is asked, an answer when it is whole, and that a turn was
 * cut off. A text that grows word by word would drown everything else.
 */
export function useAnnouncer(
  state: Readonly<Ref<ConversationState>>,
  entries: Readonly<Ref<readonly Entry[]>>,
  agentName: () => string,
): Readonly<Ref<string>> {
  const words = ref("");
  watch(
    () => state.value.turn?.id,
    (turn, before) => {
      if (turn !== undefined) words.value = `${agentName()} is working.`;
      else if (before !== undefined) words.value = endOf(entries.value, before);
    },
  );
  watch(
    () => state.value.dialogs[0],
    (dialog) => {
      if (dialog) words.value = `${agentName()} asks: ${dialog.title}`;
    },
  );
  // The daemon was away when the turn ended, so that its entry is read after that.
  watch(
    () => {
      const last = entries.value.at(-1);
      return last?.cutOff ? last.text : undefined;
    },
    (text) => {
      if (text !== undefined) words.value = text;
    },
  );
  return words;
}

/** What was said last in a turn. */
function endOf(entries: readonly Entry[], turnId: string): string {
  const last = entries.findLast(
    (entry) =>
      entry.turnId === turnId &&
      (entry.kind === "error" ||
        (entry.kind === "text" && entry.role === "assistant")),
  );
  if (!last) return "The turn is over.";
  const text =
    last.text.length > longest ? `${last.text.slice(0, longest)}…` : last.text;
  if (last.cutOff) return text;
  return last.kind === "error" ? `The turn failed: ${text}` : `Answer: ${text}`;
}
