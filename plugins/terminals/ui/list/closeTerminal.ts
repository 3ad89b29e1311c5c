import { api, useConfirm, useToast } from "@gantry/ui-kit";
import type { Terminal } from "../wire.ts";

/**
 * Gives a function that closes a terminal, after a question if something runs in it. It resolves with whether it is closed.
 */
export function useCloseTerminal(): (id: string) => Promise<boolean> {
  const confirm = useConfirm();
  const toast = useToast();
  return async (id) => {
    try {
      // What runs in it may have begun a moment ago.
      const now = await api.get<Terminal>(`/api/terminals/${id}`);
      const isAtRest =
        now.state === "exited" ||
        (now.kind === "shell" && now.prompt === "ready");
      const isSure =
        isAtRest ||
        (await confirm({
          title: `Close ${now.name}?`,
          body: now.agent
            ? `The screen of ${now.agent.name} ends, and what runs in it.`
            : "Something runs in it, or may. It ends, with everything that it started.",
          action: "Close terminal",
          tone: "failed",
        }));
      if (!isSure) return false;
      await api.delete(`/api/terminals/${id}`);
      return true;
    } catch (thrown) {
      toast.failure("The terminal was not closed", thrown);
      return false;
    }
  };
}
