import { api, createKey, useToast } from "@gantry/ui-kit";
import { shallowRef, type Ref } from "vue";

/** Commands that the reader runs in the folder of an agent. */
export interface Shell {
  /** The one that runs. */
  readonly running: Readonly<Ref<string | undefined>>;
  /** Runs a command to its end; what it says becomes part of the conversation. Never rejects. */
  run(command: string): Promise<boolean>;
  stop(): Promise<void>;
}

/** Makes the shell of an agent's folder. */
export function useShell(agentId: string): Shell {
  const path = `/api/agents/${agentId}/bash`;
  const toast = useToast();
  const running = shallowRef<string>();
  return {
    running,
    async run(command) {
      running.value = command;
      try {
        await api.post(path, {
          body: { command },
          idempotencyKey: createKey(),
        });
        return true;
      } catch (thrown) {
        toast.failure("The command was not run", thrown);
        return false;
      } finally {
        running.value = undefined;
      }
    },
    async stop() {
      try {
        await api.post(`${path}/abort`, { body: {} });
      } catch (thrown) {
        toast.failure("The command could not be stopped", thrown);
      }
    },
  };
}
