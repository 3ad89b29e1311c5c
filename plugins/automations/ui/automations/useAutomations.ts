import { shareComposable, usePages, type Pages } from "@gantry/ui-kit";
import { toValue, type MaybeRefOrGetter } from "vue";
import type { Automation } from "../wire.ts";

/** Automations, kept current during their runs. */
export function useAutomations(options: {
  /** A part of the name. */
  q?: MaybeRefOrGetter<string>;
  pageSize?: number;
}): Pages<Automation> {
  return usePages<Automation>("/api/automations", {
    query: () => ({ q: toValue(options.q) || undefined }),
    pageSize: options.pageSize,
    refreshOn: ["automations.*"],
  });
}

/** The first 200 automations, which the home page and its first steps ask for at the same time. */
export const useHomeAutomations: () => Pages<Automation> = shareComposable(() =>
  useAutomations({ pageSize: 200 }),
);
