import { api, toApiError, useToast, type ApiError } from "@gantry/ui-kit";
import { ref, shallowRef, type Ref } from "vue";
import type { Agent } from "../wire.ts";

/** What can be done to an agent as a whole. */
export interface AgentActions {
  /** Which of them runs. */
  readonly pending: Readonly<Ref<"start" | "close" | "trust" | undefined>>;
  /** The folder brings configuration that has to be trusted first. */
  readonly untrusted: Ref<ApiError | undefined>;
  start(): Promise<void>;
  close(): Promise<void>;
  /** Trusts what the folder brings. Tells whether it worked. */
  trust(): Promise<boolean>;
  rename(name: string): Promise<void>;
  /** Leaves the model to the CLI. Tells whether it worked. */
  useDefaultModel(): Promise<boolean>;
}

/** Makes the actions of an agent; `changed` takes what a change gave. */
export function useAgentActions(
  agentId: string,
  nameOf: () => string,
  changed: (agent?: Agent) => void,
): AgentActions {
  const path = `/api/agents/${agentId}`;
  const toast = useToast();
  const pending = ref<"start" | "close" | "trust">();
  const untrusted = shallowRef<ApiError>();

  async function run(
    what: "start" | "close" | "trust",
    failure: string,
    work: () => Promise<unknown>,
  ): Promise<boolean> {
    if (pending.value) return false;
    pending.value = what;
    try {
      await work();
      changed();
      return true;
    } catch (thrown) {
      const error = toApiError(thrown);
      if (error.code === "AGENT_TRUST_REQUIRED") untrusted.value = error;
      else toast.failure(failure, thrown);
      return false;
    } finally {
      pending.value = undefined;
    }
  }

  return {
    pending,
    untrusted,
    async useDefaultModel() {
      try {
        changed(await api.patch<Agent>(path, { body: { model: null } }));
        return true;
      } catch (thrown) {
        toast.failure("The model could not be changed", thrown);
        return false;
      }
    },
    async start() {
      await run("start", `${nameOf()} could not be started`, () =>
        api.post(`${path}/managed/start`, { body: {} }),
      );
    },
    async close() {
      await run("close", `${nameOf()} could not be closed`, () =>
        api.post(`${path}/close`, { body: {} }),
      );
    },
    async trust() {
      const done = await run("trust", "The folder could not be trusted", () =>
        api.post(`${path}/trust`, { body: {} }),
      );
      if (done) untrusted.value = undefined;
      return done;
    },
    async rename(name) {
      try {
        changed(await api.patch<Agent>(path, { body: { name } }));
      } catch (thrown) {
        toast.failure("The name could not be changed", thrown);
      }
    },
  };
}
