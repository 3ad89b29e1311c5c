import { useResource } from "@gantry/ui-kit";
import { computed, type ComputedRef } from "vue";
import type { ListOf, Question } from "../wire.ts";

/** Open questions of agents about the browser. */
export interface Questions {
  readonly list: ComputedRef<readonly Question[]>;
  refresh(): Promise<void>;
}

/** Follows the open questions, of one agent or of all. */
export function useQuestions(agentId?: string): Questions {
  const questions = useResource<ListOf<Question>>("/api/browser/questions", {
    refreshOn: ["browser.question-changed"],
  });
  return {
    list: computed(() =>
      (questions.data.value?.items ?? []).filter(
        (question) => agentId === undefined || question.agentId === agentId,
      ),
    ),
    refresh: questions.refresh,
  };
}
