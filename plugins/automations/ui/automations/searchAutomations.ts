import { api, useToast, type PaletteItem } from "@gantry/ui-kit";
import type { Automation } from "../wire.ts";
import { runNow } from "./runNow.ts";
import { triggersInWords } from "./words.ts";

const MAX_RESULTS = 5;

/** Finds automations for the command palette: to look at, and to run. "Run" before a name finds what can be run. */
export async function searchAutomations(
  query: string,
  signal: AbortSignal,
): Promise<readonly PaletteItem[]> {
  // Without a word the palette shows what people go back to, and those are agents.
  if (query.trim() === "") return [];
  const [, verb, name] = /^(run\s+)?(.*)$/i.exec(query.trim()) ?? [];
  const { items } = await api.get<{ items: Automation[] }>("/api/automations", {
    query: { q: name || undefined, limit: MAX_RESULTS },
    signal,
  });
  return items.flatMap((automation) => {
    const { id } = automation;
    const run: PaletteItem = {
      id: `run-${id}`,
      label: `Run ${automation.name}`,
      detail: "Now",
      icon: "i-lucide-play",
      run: ({ router }) => runNow(automation, { toast: useToast(), router }),
    };
    const show: PaletteItem = {
      id,
      label: automation.name,
      detail: triggersInWords(automation),
      icon: "i-lucide-calendar-clock",
      to: `/automations/${id}`,
    };
    return verb ? [run] : [show, run];
  });
}
