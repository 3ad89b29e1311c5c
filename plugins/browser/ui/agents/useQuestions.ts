import { useResource } from "@gantry/ui-kit";
import { computed, type ComputedRef } from "vue";
import type { Question } from "../wire.ts";

/** Open questions of agents about browsers. */
export interface Questions {
  readonly list: ComputedRef<readonly Question[]>;
  refresh(): Promise<void>;
}

/** Follows the open questions, of one agent or of all. */
export function useQuestions(agentId?: string): Questions {
  const questions = useResource<{ items: Question[] }>(
    "/api/browser/questions",
    { query: { agentId }, refreshOn: ["browser.question-changed"] },
  );
  return {
    list: computed(() => questions.data.value?.items ?? []),
    refresh: questions.refresh,
  };
}
