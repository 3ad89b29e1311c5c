import { api, useToast } from "@gantry/ui-kit";
import { reactive } from "vue";
import { useRouter } from "vue-router";
import type { Automation, Saved } from "../wire.ts";
import { runNow } from "./runNow.ts";

/** What can be done with an automation: run it, stop its run, switch it on and off. */
export function useActions() {
  const toast = useToast();
  const router = useRouter();
  const starting = reactive(new Set<string>());
  const stopping = reactive(new Set<string>());
  /** What a switch was set to, until the daemon has said so. */
  const switched = reactive(new Map<string, boolean>());

  async function run(automation: Automation): Promise<void> {
    if (starting.has(automation.id)) return;
    starting.add(automation.id);
    await runNow(automation, { toast, router });
    starting.delete(automation.id);
  }

  /** Stops the run, and nothing else that its agent may be at. */
  async function stop({ id, name }: Automation): Promise<void> {
    if (stopping.has(id)) return;
    stopping.add(id);
    try {
      const { stopped } = await api.post<{ stopped: boolean }>(
        `/api/automations/${id}/stop`,
        { body: {} },
      );
      if (!stopped)
        toast.show({
          title: `"${name}" has nothing to stop`,
          detail: "Its run has just ended.",
          tone: "neutral",
        });
    } catch (thrown) {
      toast.failure(`"${name}" was not stopped`, thrown);
    } finally {
      stopping.delete(id);
    }
  }

  async function setEnabled(
    automation: Automation,
    enabled: boolean,
  ): Promise<Automation | undefined> {
    switched.set(automation.id, enabled);
    try {
      const { automation: saved } = await api.patch<Saved>(
        `/api/automations/${automation.id}`,
        { body: { enabled } },
      );
      return saved;
    } catch (thrown) {
      const verb = enabled ? "on" : "off";
      toast.failure(`"${automation.name}" was not switched ${verb}`, thrown);
      return undefined;
    } finally {
      switched.delete(automation.id);
    }
  }

  return {
    run,
    stop,
    setEnabled,
    isStarting: (id: string) => starting.has(id),
    isStopping: (id: string) => stopping.has(id),
    isOn: ({ id, enabled }: Automation) => switched.get(id) ?? enabled,
  };
}
