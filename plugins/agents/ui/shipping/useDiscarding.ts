import { toVisibleText } from "@gantry/plugin";
import { api, useResource } from "@gantry/ui-kit";
import {
  computed,
  shallowRef,
  watch,
  type Ref,
  type ComputedRef,
  type ShallowRef,
} from "vue";
import type { FilePatch } from "../repository/parsePatch.ts";
import type { AgentStatus } from "../repository/useStatus.ts";
import { hasHunks, refusalOf } from "./stagedParts.ts";
import type { Shipping } from "./useShipping.ts";
import type { Staging } from "./useStaging.ts";
import type { Discard } from "./wire.ts";

/** Takes changes back to the last commit. */
export interface Discarding {
  /** Whether all changes of a file can be taken back here. */
  canDiscard(path: string): boolean;
  /** Whether its hunks can be taken back each for itself. */
  hasHunks(file: FilePatch): boolean;
  discardFile(file: FilePatch): void;
  /** @param hunk Its place in the patch. */
  discardHunk(file: FilePatch, hunk: number): void;
  /** Undoes the newest discard. */
  undo(): Promise<void>;
  /** Those that can be undone, the newest first. */
  readonly discards: ComputedRef<readonly Discard[]>;
  /** The one that was undone last, until something else is discarded. */
  readonly undone: Readonly<ShallowRef<Discard | undefined>>;
  readonly isUndoing: Readonly<ShallowRef<boolean>>;
  /** How often something was discarded and is no longer shown. */
  readonly count: Readonly<ShallowRef<number>>;
}

/**
 * Makes it for the changes pane of an agent.
 *
 * @param staging What is discarded waits for what is being staged.
 * @param shipping Where a refusal is shown.
 */
export function useDiscarding(
  agentId: string,
  { repository, revision }: Pick<AgentStatus, "repository" | "revision">,
  staging: Pick<Staging, "run">,
  shipping: Pick<Shipping, "fail" | "forgetFailure">,
): Discarding {
  const path = `/api/agents/${agentId}`;
  const resource = useDiscards(agentId, revision);
  const discards = computed(() => resource.data.value?.items ?? []);
  const undone = shallowRef<Discard>();
  const isUndoing = shallowRef(false);
  const count = shallowRef(0);
  const items = computed(
    () =>
      new Map((repository.value?.items ?? []).map((item) => [item.path, item])),
  );
  /** Those that wait, so that a second click does nothing. */
  const waiting = new Set<string>();

  async function discard(key: string, body: object): Promise<void> {
    if (waiting.has(key)) return;
    waiting.add(key);
    await staging.run(
      async () => {
        shipping.forgetFailure();
        await api.post(`${path}/git/discard`, { body });
        undone.value = undefined;
        await resource.refresh();
      },
      (thrown) => {
        waiting.delete(key);
        shipping.fail("discard", thrown, () => discard(key, body));
      },
    );
    waiting.delete(key);
    count.value += 1;
  }

  async function undo(overwrite = false): Promise<void> {
    const [newest] = discards.value;
    if (!newest || isUndoing.value) return;
    isUndoing.value = true;
    await staging.run(
      async () => {
        shipping.forgetFailure();
        await api.post(`${path}/turn-changes/${newest.undoId}/restore`, {
          body: overwrite ? { overwrite } : {},
        });
        undone.value = newest;
        await resource.refresh();
        isUndoing.value = false;
      },
      (thrown) => {
        isUndoing.value = false;
        const again = () => undo(overwrite);
        shipping.fail("undo-discard", thrown, again, () => undo(true));
      },
    );
  }

  return {
    discards,
    undone,
    isUndoing,
    count,
    undo: () => undo(),
    canDiscard(file) {
      const item = items.value.get(file);
      return item !== undefined && refusalOf(item) === undefined;
    },
    hasHunks(file) {
      const item = items.value.get(file.path);
      return file.kind === "modified" && item !== undefined && hasHunks(item);
    },
    discardFile: (file) => void discard(file.path, { paths: [file.path] }),
    discardHunk(file, index) {
      const hunk = file.hunks[index];
      if (!hunk) return;
      const { header, lines } = hunk;
      const body = { hunk: { path: file.path, header, lines } };
      void discard(JSON.stringify(body), body);
    },
  };
}

/** Those that can be undone, kept fresh. */
function useDiscards(agentId: string, revision: Ref<unknown>) {
  const resource = useResource<{ items: Discard[] }>(
    `/api/agents/${agentId}/git/discards`,
    {
      refreshOn: ["agents.turn-changes-changed"],
      refreshIf: ({ subject }) => subject === agentId,
    },
  );
  // A commit ends what can be undone.
  watch(revision, () => void resource.refresh());
  return resource;
}

/** What was discarded, in a few words. */
export function nameDiscard({ paths, isHunk }: Discard): string {
  const [first = "", ...others] = paths;
  const what = isHunk ? "a change" : "the changes";
  const more = others.length > 0 ? " and other files" : "";
  return `${what} in ${toVisibleText(first)}${more}`;
}
