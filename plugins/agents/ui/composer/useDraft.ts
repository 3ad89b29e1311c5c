import { ref, watch, type Ref } from "vue";
import { keepText, readKept } from "../agents/keptText.ts";

const keyOf = (agentId: string) => `gantry-agents-draft-${agentId}`;

/** A text that this browser keeps for an agent until it is sent. */
export function useDraft(agentId: string): Ref<string> {
  const draft = ref(readKept(keyOf(agentId)) ?? "");
  watch(draft, (text) =>
    keepText(keyOf(agentId), text === "" ? undefined : text),
  );
  return draft;
}

/** Forgets the draft of an agent that is gone. */
export function forgetDraft(agentId: string): void {
  keepText(keyOf(agentId), undefined);
}
