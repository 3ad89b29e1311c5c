import { ref, watch, type Ref } from "vue";

/** A text that this browser keeps for an agent until it is sent. */
export function useDraft(agentId: string): Ref<string> {
  const key = `gantry-agents-draft-${agentId}`;
  const draft = ref(read(key));
  watch(draft, (text) => {
    try {
      if (text === "") localStorage.removeItem(key);
      else localStorage.setItem(key, text);
    } catch {
      // A browser that stores nothing, or no more, forgets it with the page.
    }
  });
  return draft;
}

/** Forgets the draft of an agent that is gone. */
export function forgetDraft(agentId: string): void {
  try {
    localStorage.removeItem(`gantry-agents-draft-${agentId}`);
  } catch {
    // Then there is none.
  }
}

function read(key: string): string {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}
