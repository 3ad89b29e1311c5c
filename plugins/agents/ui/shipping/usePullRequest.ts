import { api, useResource, type ApiError } from "@gantry/ui-kit";
import {
  computed,
  inject,
  provide,
  shallowRef,
  type ComputedRef,
  type InjectionKey,
  type Ref,
} from "vue";
import type { PullRequestState } from "../repository/wire.ts";
import type { PullRequest } from "./wire.ts";

/** The pull request of an agent's branch. */
export interface AgentPullRequest {
  /** `undefined` while nothing was read. */
  readonly state: Readonly<Ref<PullRequestState | undefined>>;
  readonly pr: ComputedRef<PullRequest | undefined>;
  readonly error: Readonly<Ref<ApiError | undefined>>;
  readonly isReading: ComputedRef<boolean>;
  /** Reads it, as it was a moment ago. Without a call it is not read: not each page shows it. */
  read(): void;
  /** Has GitHub asked, after something that changes it. Never rejects. */
  readFresh(): Promise<void>;
}

const pullRequestKey: InjectionKey<AgentPullRequest> = Symbol(
  "gantry-agents-pull-request",
);

/** Makes it for the page of an agent and gives it to what is shown on it. */
export function providePullRequest(agentId: string): AgentPullRequest {
  const path = `/api/agents/${agentId}/pr`;
  const isWanted = shallowRef(false);
  const isAsking = shallowRef(false);
  const resource = useResource<PullRequestState>(() =>
    isWanted.value ? path : null,
  );
  const pullRequest: AgentPullRequest = {
    state: resource.data,
    pr: computed(() => resource.data.value?.pr),
    error: resource.error,
    isReading: computed(() => isAsking.value || resource.pending.value),
    read() {
      if (isWanted.value) void resource.refresh();
      isWanted.value = true;
    },
    async readFresh() {
      isWanted.value = true;
      isAsking.value = true;
      try {
        const query = { fresh: true };
        resource.replace(await api.get<PullRequestState>(path, { query }));
      } catch {
        // What is wrong with it is shown with the resource.
        await resource.refresh();
      } finally {
        isAsking.value = false;
      }
    },
  };
  provide(pullRequestKey, pullRequest);
  return pullRequest;
}

/** Takes it in a part of the page. */
export function injectPullRequest(): AgentPullRequest {
  const pullRequest = inject(pullRequestKey);
  if (!pullRequest)
    throw new Error("A pull request is shown on an agent's page.");
  return pullRequest;
}
