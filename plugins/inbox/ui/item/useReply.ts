import { api, createKey, useSubmit, useToast } from "@gantry/ui-kit";
import type { InboxItem } from "../../src/contract.ts";

/** What is sent: a text, an option of a dialog or of a turn that was cut off, or that there is no answer. */
export type Reply =
  { message: string } | { optionId: string } | { cancelled: true };

interface ReplyAnswer {
  item: InboxItem;
  delivery: "answered" | "sent" | "queued";
}

/** Sends replies to an item. What the daemon refuses is shown by `FormProblem`. Call it in `setup`. */
export function useReply(itemId: () => string) {
  const toast = useToast();
  let reply: Reply | undefined;
  const { submit, pending, reset, error } = useSubmit(() =>
    api.post<ReplyAnswer>(`/api/inbox/${itemId()}/reply`, {
      body: reply,
      idempotencyKey: createKey(),
    }),
  );
  return {
    pending,
    reset,
    /** What the daemon refused last. */
    error,
    /** @returns whether it was taken */
    async send(next: Reply): Promise<boolean> {
      reply = next;
      const answer = await submit();
      if (!answer) return false;
      const isMessage = "message" in next;
      if (isMessage && answer.delivery === "queued")
        toast.success("Queued", "The agent gets it as soon as it is free.");
      if (isMessage && answer.delivery === "sent")
        toast.success("Sent to the agent");
      return true;
    },
  };
}
