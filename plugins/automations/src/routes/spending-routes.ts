import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import type { Budget } from "../money/budget.ts";
import type { Spending } from "../money/spending.ts";
import { spendingView, spendLimitsInput } from "../wire/spending.ts";

/** Dependencies of the routes of spending. */
export interface SpendingRoutesHost {
  spending: Spending;
  budget: Budget;
}

/** What all automations together spend, and the limits on it. */
export function spendingRoutes(host: SpendingRoutesHost): RouteDefinition[] {
  const { spending, budget } = host;
  return [
    defineRoute({
      method: "GET",
      path: "/api/automations/spending",
      summary: "What all automations spend",
      description:
        "In the last 24 hours and 7 days, against the limits, with what runs that are going may still spend and how many runs have an unknown cost; and what rules and caps allow at most.",
      access: "session",
      returns: spendingView,
      handle: () => budget.view(),
    }),
    defineRoute({
      method: "PUT",
      path: "/api/automations/spending",
      summary: "Limit what all automations spend",
      description:
        "A run that starts may cost what the limits leave and is stopped beyond that; none starts when nothing is left. `null` is no limit.",
      access: "session",
      body: spendLimitsInput,
      returns: spendingView,
      async handle({ body }) {
        await spending.setLimits(body);
        return budget.view();
      },
    }),
  ];
}
