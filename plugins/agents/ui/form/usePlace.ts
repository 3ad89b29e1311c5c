import { useResource, useSettled } from "@gantry/ui-kit";
import { computed, ref, watch, type ComputedRef, type Ref } from "vue";
import type { Place, PlaceAgent } from "../wire.ts";

/** How long the typing of a folder has to pause before the daemon is asked about it. */
const TYPING_MS = 300;

/** What is sent of a new worktree. */
export interface WorktreeBody {
  branch: string | null;
  setup: string | null;
}

/** The choice of a worktree for an agent that is being made. */
export interface WorktreeChoice {
  /** Whether the folder is in a repository that a worktree can be made of. */
  readonly isPossible: ComputedRef<boolean>;
  /** Whether one is wanted. It is by itself where another agent works, until the user chooses. */
  readonly isOn: Ref<boolean>;
  /** Agents that are working or waiting in the same working tree. */
  readonly others: ComputedRef<readonly PlaceAgent[]>;
  readonly branch: Ref<string>;
  readonly setup: Ref<string>;
  /** `null` if the agent works in the folder itself. */
  readonly body: ComputedRef<WorktreeBody | null>;
}

/** Asks what a folder is once it is typed. Nothing is said of one that cannot be read: creating the agent does that. */
export function usePlace(folder: () => string): WorktreeChoice {
  const settled = useSettled(folder, TYPING_MS);
  const resource = useResource<Place>(
    () =>
      settled.value === folder() && isAbsolute(settled.value)
        ? "/api/workspaces/place"
        : null,
    { query: () => ({ path: settled.value }) },
  );
  // What was known of the folder before is outdated if it cannot be read now.
  const place = computed(() =>
    resource.error.value ? undefined : resource.data.value,
  );
  const chosen = ref<boolean>();
  const branch = ref("");
  const setup = ref("");
  watch(
    () => place.value?.repository?.root,
    (root) => {
      if (root !== undefined) setup.value = place.value?.setup ?? "";
    },
  );
  const isPossible = computed(
    () => place.value?.repository?.hasCommits ?? false,
  );
  const others = computed(() => (place.value?.agents ?? []).filter(isActive));
  const isOn = computed({
    get: () => chosen.value ?? others.value.length > 0,
    set: (on) => (chosen.value = on),
  });
  return {
    isPossible,
    isOn,
    others,
    branch,
    setup,
    body: computed(() =>
      isPossible.value && isOn.value
        ? {
            branch: branch.value.trim() || null,
            setup: setup.value.trim() || null,
          }
        : null,
    ),
  };
}

function isAbsolute(path: string): boolean {
  return /^(?:\/|[A-Za-z]:[\\/])/.test(path);
}

function isActive({ activity }: PlaceAgent): boolean {
  return activity !== "idle";
}

/** What follows the name of the first of some agents that share a folder. */
export function toSharingWords(agents: number): string {
  if (agents === 1) return "works in this folder too";
  const rest = agents === 2 ? "1 other" : `${agents - 1} others`;
  return `and ${rest} work in this folder too`;
}
