import { api, useResource, useToast } from "@gantry/ui-kit";
import { computed, ref, type ComputedRef, type Ref } from "vue";
import type { ListOf, Task } from "../wire.ts";

/** The messages on their way to an agent. */
export interface Queue {
  /** The newest ones, in any state. */
  readonly tasks: ComputedRef<readonly Task[]>;
  /** Those that wait, the next one first. */
  readonly waiting: ComputedRef<readonly Task[]>;
  /** Why messages were not delivered, by their task. */
  readonly failures: ComputedRef<ReadonlyMap<string, string>>;
  readonly cancelling: Readonly<Ref<ReadonlySet<string>>>;
  refresh(): void;
  /** Takes a message out. Tells whether it was still there. */
  cancel(task: Task): Promise<boolean>;
}

/** Reads the messages on their way to an agent; `refresh` has to be called when one of them changed. */
export function useQueue(agentId: string): Queue {
  const path = `/api/agents/${agentId}/tasks`;
  const toast = useToast();
  const tasks = useResource<ListOf<Task>>(path, { query: { limit: 100 } });
  const cancelling = ref<ReadonlySet<string>>(new Set());
  const items = computed(() => tasks.data.value?.items ?? []);

  return {
    tasks: items,
    cancelling,
    waiting: computed(() =>
      items.value
        .filter(({ status }) => status === "queued" || status === "delivering")
        .toReversed(),
    ),
    failures: computed(
      () =>
        new Map(
          items.value
            .filter(({ status }) => status === "failed")
            .map(({ id, reason }) => [id, reason ?? "no reason given"]),
        ),
    ),
    refresh: () => void tasks.refresh(),
    async cancel({ id }) {
      cancelling.value = new Set([...cancelling.value, id]);
      try {
        await api.delete(`${path}/${id}`, { body: {} });
        return true;
      } catch (thrown) {
        toast.failure("The message could not be taken back", thrown);
        return false;
      } finally {
        cancelling.value = new Set(
          [...cancelling.value].filter((one) => one !== id),
        );
        await tasks.refresh();
      }
    },
  };
}
