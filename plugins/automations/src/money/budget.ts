import type { Records } from "../records/records.ts";
import type { SpendingView, WorstCase } from "../wire/spending.ts";
import type { Spending } from "./spending.ts";
import { addUp, worstCaseOf } from "./worst-case.ts";

/** What all automations spend, may spend, and could spend if everything that can fire does. */
export interface Budget {
  /** What an automation allows has changed. */
  changed(automationId: string): void;
  view(): Promise<SpendingView>;
}

/** @param known Ids of all automations that there are. */
export function createBudget(
  records: Records,
  spending: Spending,
  known: ReadonlySet<string>,
): Budget {
  // Computed on request, and kept: there may be thousands.
  const cases = new Map<string, WorstCase>();

  async function caseOf(id: string): Promise<WorstCase> {
    const kept = cases.get(id);
    if (kept) return kept;
    const automation = await records.automations.get(id);
    const found = worstCaseOf({
      schedules: automation?.enabled ? automation.schedules : [],
      limits: automation?.limits ?? NO_LIMITS,
      webhook: automation?.enabled === true && automation.secretHash !== null,
    });
    cases.set(id, found);
    return found;
  }

  return {
    changed: (id) => void cases.delete(id),
    async view() {
      const all: WorstCase[] = [];
      for (const id of known) all.push(await caseOf(id));
      const unbounded = all.filter(({ weekUsd }) => weekUsd === null).length;
      const { limits } = spending;
      return {
        limits,
        day: spending.day(),
        week: spending.week(),
        worstCase: { ...addUp(all), unbounded },
      };
    },
  };
}

const NO_LIMITS = {
  maxCostUsd: null,
  maxRunsPerHour: null,
  maxRunsPerDay: null,
  maxRunsPerWeek: null,
};
