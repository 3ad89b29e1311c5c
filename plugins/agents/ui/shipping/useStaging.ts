import { api, type Resource } from "@gantry/ui-kit";
import { computed, type ComputedRef } from "vue";
import type { FilePatch } from "../repository/parsePatch.ts";
import type { AgentStatus } from "../repository/useStatus.ts";
import type { Diff } from "../repository/wire.ts";
import {
  markHunk,
  refusalOf,
  toHunkParts,
  toPart,
  type Marks,
} from "./stagedParts.ts";
import { createStagingQueue } from "./stagingQueue.ts";
import { untilRead } from "./untilRead.ts";
import type { Shipping } from "./useShipping.ts";
import type { StagedPart } from "./wire.ts";

/** What is known of a changed file when it is to be staged. */
export interface StagedFile {
  state: StagedPart;
  /** Why it cannot be staged here. */
  refusal: string | undefined;
}

/** Puts changes into the next commit, and takes them out of it. */
export interface Staging {
  /** `undefined` for a file that has not changed, as far as it is known. */
  fileAt(path: string): StagedFile | undefined;
  /** As {@link toHunkParts}. */
  hunksOf(file: FilePatch): readonly (StagedPart | undefined)[] | undefined;
  stageFile(path: string, staged: boolean): Promise<void>;
  stageHunk(file: FilePatch, hunk: number, staged: boolean): Promise<void>;
  /** Does something else that changes files and what is staged, after all that waits. Never rejects. */
  run(
    work: () => Promise<unknown>,
    fail: (thrown: unknown) => void,
  ): Promise<void>;
  /** Ends the conflicts of files without marks of one. */
  stageSolved(): Promise<void>;
  /** Something is being staged, so that it is not known for sure what a commit takes up. */
  readonly isBusy: ComputedRef<boolean>;
}

/**
 * Makes it for the changes pane of an agent.
 *
 * @param diff Has to be read again whenever `status.revision` grows.
 * @param shipping Where the command and a refusal are shown.
 */
export function useStaging(
  agentId: string,
  status: AgentStatus,
  diff: Pick<Resource<Diff>, "data" | "pending">,
  shipping: Pick<Shipping, "resource" | "fail" | "command">,
): Staging {
  const { items, told } = useTold(status, diff);
  const queue = createStagingQueue(
    async () => {
      await status.changed();
      await Promise.all(
        [status, shipping].map(({ resource }) => untilRead(resource)),
      );
    },
    () => untilRead(diff),
  );

  const marksOf = (path: string) => queue.shown.value.get(path) ?? told(path);
  function hunksOf(file: FilePatch) {
    const item = items.value.get(file.path);
    const marks = marksOf(file.path);
    return item && marks && toHunkParts(file, item, marks);
  }

  const stage = (
    marks: ReadonlyMap<string, Marks>,
    body: object,
    again: () => Promise<void>,
  ) =>
    queue.add(
      marks,
      async () => (shipping.command.value = await postStage(agentId, body)),
      (thrown) => shipping.fail("stage", thrown, again),
    );

  async function stageFile(path: string, staged: boolean): Promise<void> {
    const { from } = items.value.get(path) ?? {};
    const file = staged ? "all" : "none";
    await stage(
      new Map([[path, { file, hunks: undefined }]]),
      // Without the name that it had, half of a renamed file would be staged.
      { staged, paths: from ? [from, path] : [path] },
      () => stageFile(path, staged),
    );
  }

  async function stageHunk(
    file: FilePatch,
    index: number,
    staged: boolean,
  ): Promise<void> {
    const hunk = file.hunks[index];
    const parts = hunksOf(file);
    if (!hunk || !parts) return;
    const { path } = file;
    const { header, lines } = hunk;
    await stage(
      new Map([[path, markHunk(parts, index, staged)]]),
      { staged, hunk: { path, header, lines } },
      () => stageHunk(file, index, staged),
    );
  }

  async function stageSolved(): Promise<void> {
    const paths = [...items.value.values()]
      .filter(({ kind }) => kind === "conflicted")
      .map(({ path }) => path);
    if (paths.length === 0) return;
    await stage(new Map(), { staged: true, paths }, stageSolved);
  }

  return {
    hunksOf,
    stageFile,
    stageHunk,
    stageSolved,
    run: (work, fail) => queue.add(new Map(), work, fail),
    isBusy: queue.isBusy,
    fileAt(path) {
      const item = items.value.get(path);
      const marks = marksOf(path);
      return item && marks && { state: marks.file, refusal: refusalOf(item) };
    },
  };
}

/** @returns the command that does the same in a shell */
async function postStage(agentId: string, body: object): Promise<string> {
  const path = `/api/agents/${agentId}/git/stage`;
  return (await api.post<{ command: string }>(path, { body })).command;
}

/** What the daemon says of the files. */
function useTold(
  { repository }: AgentStatus,
  diff: Pick<Resource<Diff>, "data">,
) {
  const items = computed(() => {
    const all = repository.value?.items ?? [];
    return new Map(all.map((item) => [item.path, item]));
  });
  const hunks = computed(() => {
    const { value } = diff.data;
    const all = value?.git ? (value.staged ?? []) : [];
    return new Map(all.map((file) => [file.path, file.hunks]));
  });
  return {
    items,
    told(path: string): Marks | undefined {
      const item = items.value.get(path);
      return item && { file: toPart(item), hunks: hunks.value.get(path) };
    },
  };
}
