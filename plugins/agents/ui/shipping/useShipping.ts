import { api, useResource, type Resource } from "@gantry/ui-kit";
import {
  computed,
  shallowRef,
  watch,
  type ComputedRef,
  type Ref,
  type ShallowRef,
} from "vue";
import type { AgentStatus } from "../repository/useStatus.ts";
import { createOperations, type Operations } from "./operations.ts";
import { retryAfterErrors } from "./retryAfterErrors.ts";
import { untilRead } from "./untilRead.ts";
import type {
  MadeCommit,
  MadePush,
  ShippingAnswer,
  ShippingState,
  UndoneCommit,
} from "./wire.ts";

/** What was done last. */
export type Outcome =
  | { kind: "committed"; hash: string; subject: string; output: string }
  | { kind: "undone"; subject: string }
  | { kind: "pushed"; to: string; output: string };

/** Commits and pushes what an agent changed. */
export interface Shipping extends Pick<
  Operations,
  "running" | "failure" | "command" | "fail" | "forgetFailure"
> {
  readonly agentId: string;
  readonly resource: Resource<ShippingAnswer>;
  /** `undefined` while nothing was read, and where there is no repository. */
  readonly state: ComputedRef<ShippingState | undefined>;
  readonly outcome: Readonly<ShallowRef<Outcome | undefined>>;
  /** @param text The message, which is emptied once it is committed. */
  commit(text: Ref<string>, all: boolean): Promise<void>;
  /** Undoes the last commit, and puts its message before what is written. */
  undo(text: Ref<string>): Promise<void>;
  pushBranch(): Promise<void>;
  /** Lets git run the repository's programs, or no longer. Tells whether it worked. */
  trust(trusted: boolean): Promise<boolean>;
  /** Reads everything again. */
  refresh(): Promise<void>;
}

/** Makes it for the changes pane of an agent. */
export function useShipping(agentId: string, status: AgentStatus): Shipping {
  const path = `/api/agents/${agentId}/git`;
  const resource = useResource<ShippingAnswer>(`${path}/shipping`);
  const outcome = shallowRef<Outcome>();
  const operations = createOperations(read);
  const { run, forgetFailure } = operations;
  // At once, so that what is awaited is the newest.
  watch(status.revision, () => void resource.refresh(), { flush: "sync" });
  retryAfterErrors(resource);
  const state = computed(() =>
    resource.data.value?.git ? resource.data.value : undefined,
  );

  async function read(): Promise<void> {
    await status.changed();
    await untilRead(resource);
  }

  async function commit(text: Ref<string>, all: boolean): Promise<void> {
    const body = { message: text.value.trim(), ...(all ? { all } : {}) };
    const made = await run(
      "commit",
      () => commit(text, all),
      () => api.post<MadeCommit>(`${path}/commit`, { body }),
    );
    if (!made) return;
    const { hash, subject, output } = made;
    text.value = "";
    outcome.value = { kind: "committed", hash, subject, output };
  }

  async function undo(text: Ref<string>): Promise<void> {
    const last = state.value?.undo;
    if (!last) return;
    const undone = await run(
      "undo",
      () => undo(text),
      () =>
        api.post<UndoneCommit>(`${path}/undo-commit`, {
          body: { hash: last.hash },
        }),
    );
    if (!undone) return;
    const parts = [undone.message.trim(), text.value.trim()];
    text.value = parts.filter(Boolean).join("\n\n");
    outcome.value = { kind: "undone", subject: last.subject };
  }

  async function pushBranch(): Promise<void> {
    const made = await run("push", pushBranch, () =>
      api.post<MadePush>(`${path}/push`, { body: {} }),
    );
    if (!made) return;
    const { remote, branch, output } = made;
    outcome.value = { kind: "pushed", to: `${remote}/${branch}`, output };
  }

  async function trust(trusted: boolean): Promise<boolean> {
    const mark = state.value?.programs.mark;
    if (mark === undefined) return false;
    const body = { mark, trusted };
    const done = await run(
      "programs",
      async () => void (await trust(trusted)),
      () => api.post<{ trusted: boolean }>(`${path}/programs`, { body }),
    );
    return done !== undefined;
  }

  return {
    ...operations,
    agentId,
    resource,
    state,
    outcome,
    commit,
    undo,
    pushBranch,
    trust,
    async refresh() {
      forgetFailure();
      await read();
    },
  };
}
