import {
  api,
  createKey,
  toApiError,
  useSubmit,
  type ApiError,
  type Resource,
} from "@gantry/ui-kit";
import { inject, provide, watch, type InjectionKey, type Ref } from "vue";
import { continuationOf, type Continuation } from "../agents/continuationOf.ts";
import type { Agent } from "../wire.ts";

/** Continues a turn that a stop or crash of the daemon cut off. */
export interface TurnContinuation {
  /** Returns `undefined` if the turn cannot be continued. */
  stateOf(turnId: string | null): Continuation | undefined;
  /** Whether the request is pending. */
  readonly pending: Readonly<Ref<boolean>>;
  /** Continues it. Never rejects: an error is shown in `FormProblem`. */
  run(): Promise<void>;
}

const continuationKey: InjectionKey<TurnContinuation> = Symbol(
  "gantry-agents-turn-continuation",
);

/**
 * Creates the continuation for the page of an agent. The state belongs to the page, since rows are unmounted on scrolling.
 * Call it in `setup`.
 *
 * @param onUntrusted Called with the error if the folder has to be trusted first.
 */
export function useTurnContinuation(
  agentId: string,
  agent: Resource<Agent>,
  onUntrusted: (error: ApiError) => void,
): TurnContinuation {
  const turnId = () => agent.data.value?.cutOff?.turnId;
  const { submit, pending, reset } = useSubmit(async () => {
    try {
      await api.post(`/api/agents/${agentId}/continue`, {
        body: { turnId: turnId() },
        idempotencyKey: createKey(),
      });
    } catch (thrown) {
      const error = toApiError(thrown);
      if (error.code !== "AGENT_TRUST_REQUIRED") throw error;
      onUntrusted(error);
    } finally {
      // The record decides whether the button is shown, also when another client was faster.
      await agent.refresh();
    }
  });
  watch(turnId, reset);

  return {
    pending,
    stateOf(id) {
      const { value } = agent.data;
      return value && id === value.cutOff?.turnId
        ? continuationOf(value)
        : undefined;
    },
    async run() {
      if (turnId() !== undefined) await submit();
    },
  };
}

/** Provides the continuation to the rows of the conversation. */
export function provideTurnContinuation(continuation: TurnContinuation): void {
  provide(continuationKey, continuation);
}

/** Injects the continuation in a row. Throws outside the page of an agent. */
export function injectTurnContinuation(): TurnContinuation {
  const continuation = inject(continuationKey);
  if (!continuation)
    throw new Error(
      "Use it below the page of an agent, which provides the continuation.",
    );
  return continuation;
}
