import { api, useConfirm, useToast } from "@gantry/ui-kit";
import {
  computed,
  inject,
  provide,
  shallowRef,
  type ComputedRef,
  type InjectionKey,
  type Ref,
} from "vue";
import type { Agent } from "../wire.ts";
import {
  describeBranchEnd,
  describeLoss,
  type WorktreeCleanup,
} from "./worktreeLoss.ts";

/** The working tree that was made for an agent. */
export interface AgentWorktree {
  /** `undefined` if the agent works in a folder as it was. */
  readonly worktree: ComputedRef<Agent["worktree"] | undefined>;
  readonly isPending: Readonly<Ref<boolean>>;
  /** Asks with what would be lost, closes the agent and removes the files. Never rejects. */
  remove(): Promise<void>;
  /** Makes it again after that. Never rejects. */
  makeAgain(): Promise<void>;
}

const worktreeKey: InjectionKey<AgentWorktree> = Symbol(
  "gantry-agents-worktree",
);

/**
 * Makes it for the page of an agent and gives it to what is shown on it.
 *
 * @param changed Takes the agent as a change left it.
 */
export function provideWorktree(
  agent: () => Agent | undefined,
  changed: (agent: Agent) => void,
): AgentWorktree {
  const confirm = useConfirm();
  const toast = useToast();
  const isPending = shallowRef(false);

  async function run(failure: string, work: () => Promise<void>) {
    if (isPending.value) return;
    isPending.value = true;
    try {
      await work();
    } catch (thrown) {
      toast.failure(failure, thrown);
    } finally {
      isPending.value = false;
    }
  }
  const path = () => `/api/agents/${agent()?.id}`;

  const made: AgentWorktree = {
    worktree: computed(() => agent()?.worktree ?? undefined),
    isPending,
    remove: () =>
      run("The worktree could not be removed", async () => {
        const { worktree } = await api.get<{
          worktree: WorktreeCleanup | null;
        }>(`${path()}/cleanup`);
        const discard = worktree !== null && worktree.changes !== 0;
        const isWanted = await confirm({
          title: "Close the agent and remove its worktree?",
          body: [
            worktree && describeLoss(worktree),
            worktree && describeBranchEnd(worktree),
            "The conversation stays too.",
          ]
            .filter(Boolean)
            .join(" "),
          action: discard ? "Remove it with the changes" : "Remove it",
          ...(discard ? { tone: "failed" } : {}),
        });
        if (!isWanted) return;
        changed(
          await api.delete<Agent>(`${path()}/worktree`, { body: { discard } }),
        );
      }),
    makeAgain: () =>
      run("The worktree could not be made again", async () =>
        changed(await api.post<Agent>(`${path()}/worktree`, { body: {} })),
      ),
  };
  provide(worktreeKey, made);
  return made;
}

/** Takes it in a part of the page. */
export function injectWorktree(): AgentWorktree {
  const worktree = inject(worktreeKey);
  if (!worktree) throw new Error("A worktree is shown on an agent's page.");
  return worktree;
}
