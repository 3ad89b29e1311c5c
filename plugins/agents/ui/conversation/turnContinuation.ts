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

/** Continues the turn of an agent that a stop or a crash of the daemon cut off. */
export interface TurnContinuation {
  /** `undefined` if the turn is not one that can be continued. */
  stateOf(turnId: string | null): Continuation | undefined;
  /** The daemon was asked to continue it and has not answered yet. */
  readonly pending: Readonly<Ref<boolean>>;
  /** Continues it. Never rejects: why that was refused is in `FormProblem`. */
  run(): Promise<void>;
}

const continuationKey: InjectionKey<TurnContinuation> = Symbol(
  "gantry-agents-turn-continuation",
);

/**
 * Makes it for the page of an agent. The state belongs to the page, since rows come and go as the conversation is
 * scrolled. Call it in `setup`.
 *
 * @param onUntrusted Takes the refusal where the folder has to be trusted first.
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
      // The button goes with what the record says, also where another client was faster.
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

/** Gives it to the rows of the conversation. */
export function provideTurnContinuation(continuation: TurnContinuation): void {
  provide(continuationKey, continuation);
}

/** Takes it in a row. */
export function injectTurnContinuation(): TurnContinuation {
  const continuation = inject(continuationKey);
  if (!continuation) throw new Error("Rows are shown on an agent's page.");
  return continuation;
}
