import { ref, watch, type Ref } from "vue";

/** The draft for an agent, kept in `localStorage` until it is sent. */
export function useDraft(agentId: string): Ref<string> {
  const key = `gantry-agents-draft-${agentId}`;
  const draft = ref(read(key));
  watch(draft, (text) => {
    try {
      if (text === "") localStorage.removeItem(key);
      else localStorage.setItem(key, text);
    } catch {
      // Without storage, or when it is full, the draft lasts as long as the page.
    }
  });
  return draft;
}

/** Deletes the draft of a deleted agent. */
export function deleteDraft(agentId: string): void {
  try {
    localStorage.removeItem(`gantry-agents-draft-${agentId}`);
  } catch {
    // Without storage there is no draft.
  }
}

function read(key: string): string {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}
