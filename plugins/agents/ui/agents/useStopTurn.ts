import { api, useToast } from "@gantry/ui-kit";
import { ref, type Ref } from "vue";

/** Stops turns. `stopping` has the ids of the agents with a pending stop request. */
export function useStopTurn(): {
  stopping: Readonly<Ref<ReadonlySet<string>>>;
  stop: (agent: { id: string; name: string }) => Promise<void>;
} {
  const toast = useToast();
  const stopping = ref<ReadonlySet<string>>(new Set());

  async function stop({ id, name }: { id: string; name: string }) {
    if (stopping.value.has(id)) return;
    stopping.value = new Set([...stopping.value, id]);
    try {
      await api.post(`/api/agents/${id}/abort`, { body: {} });
    } catch (thrown) {
      toast.failure(`${name} could not be stopped`, thrown);
    } finally {
      stopping.value = new Set([...stopping.value].filter((one) => one !== id));
    }
  }

  return { stopping, stop };
}
