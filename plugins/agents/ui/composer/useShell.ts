import { api, createKey, useToast } from "@gantry/ui-kit";
import { shallowRef, type Ref } from "vue";

/** Runs shell commands of the user in the folder of an agent. */
export interface Shell {
  /** The running command. */
  readonly running: Readonly<Ref<string | undefined>>;
  /** Runs a command to its end; its output becomes part of the conversation. Never rejects. */
  run(command: string): Promise<boolean>;
  stop(): Promise<void>;
}

/** Creates the shell for the folder of an agent. */
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
        toast.failure("The command could not be run", thrown);
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
