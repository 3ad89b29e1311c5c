import { useToast, type CommandContext } from "@gantry/ui-kit";
import { useRouter } from "vue-router";
import { useNuxtApp } from "#imports";

/** Something that leads somewhere or does something. */
export interface Runnable {
  label: string;
  to?: string | undefined;
  run?: ((context: CommandContext) => void | Promise<void>) | undefined;
}

/** Gives a function that runs commands, inside the app, and says so when one fails. */
export function useRunCommand(): (command: Runnable) => Promise<void> {
  const router = useRouter();
  const toast = useToast();
  const { vueApp } = useNuxtApp();

  return async (command) => {
    try {
      if (command.run)
        await vueApp.runWithContext(() => command.run?.({ router }));
      else if (command.to) await router.push(command.to);
    } catch (thrown) {
      toast.failure(`"${command.label}" failed`, thrown);
    }
  };
}
