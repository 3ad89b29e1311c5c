import { api, type Toasts } from "@gantry/ui-kit";
import type { Router } from "vue-router";
import { runInWords } from "../runs/runWords.ts";
import type { Automation, Run } from "../wire.ts";

/** Runs an automation and says what came of it. */
export async function runNow(
  automation: Pick<Automation, "id" | "name">,
  { toast, router }: { toast: Toasts; router: Router },
): Promise<void> {
  try {
    const { run } = await api.post<{ run: Run }>(
      `/api/automations/${automation.id}/run`,
    );
    const { label, tone } = runInWords(run);
    const { agentId } = run;
    toast.show({
      id: `automation-${automation.id}`,
      title:
        run.result === "running"
          ? `"${automation.name}" has started`
          : `"${automation.name}": ${label.toLowerCase()}`,
      detail: run.result === "running" ? undefined : run.message,
      tone,
      actions:
        run.result === "running" && agentId
          ? [
              {
                label: "Watch",
                run: () => void router.push(`/agents/${agentId}`),
              },
            ]
          : [],
    });
  } catch (thrown) {
    toast.failure(`"${automation.name}" was not run`, thrown);
  }
}
