import { useResource, type Resource } from "@gantry/ui-kit";
import { computed, shallowRef, watch, type ComputedRef, type Ref } from "vue";
import { useMark } from "./useMark.ts";
import type { MarkedStatus, Status } from "./wire.ts";

/** What has changed in the repository of an agent. */
export interface AgentStatus {
  readonly resource: Resource<Status>;
  /** `undefined` while nothing was read, and where there is no repository. */
  readonly repository: ComputedRef<MarkedStatus | undefined>;
  /** How many files are changed, as it is shown; `undefined` if none is known to be. */
  readonly changes: ComputedRef<string | undefined>;
  /** Grows with each change of the folder or the repository that was noticed. */
  readonly revision: Readonly<Ref<number>>;
  /** Grows with each new commit and each change of the branch. */
  readonly commits: Readonly<Ref<number>>;
  /** Reads it again, after something that is known to have changed the repository. Never rejects. */
  changed(): Promise<void>;
}

/**
 * Reads it and keeps it fresh while the page is visible.
 *
 * @param stepEnded Changes with each step of the agent that has ended, and may have changed something.
 * @param isWanted Until then nothing is read: git would take the processor from what the page shows first.
 */
export function useStatus(
  agentId: string,
  stepEnded: () => unknown,
  isWanted: () => boolean,
): AgentStatus {
  const resource = useResource<Status>(() =>
    isWanted() ? `/api/agents/${agentId}/gitstatus` : null,
  );
  const revision = shallowRef(0);
  const commits = shallowRef(0);
  async function changed(): Promise<void> {
    revision.value += 1;
    await resource.refresh();
  }
  watch(stepEnded, () => void changed());
  const repository = computed(() =>
    resource.data.value?.git ? resource.data.value : undefined,
  );
  useMark(
    agentId,
    isWanted,
    () => repository.value?.mark,
    ({ commit }) => {
      void changed();
      if (commit) commits.value += 1;
    },
  );
  return {
    resource,
    repository,
    changes: computed(() => {
      const { items = [], truncated = false } = repository.value ?? {};
      return items.length > 0
        ? `${items.length}${truncated ? "+" : ""}`
        : undefined;
    }),
    revision,
    commits,
    changed,
  };
}
