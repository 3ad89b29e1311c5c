import { useKit } from "../internal/context.ts";
import type { ConfirmQuestion, ConfirmRequest } from "./confirmRequest.ts";

/**
 * Gives a function that asks and resolves with `true` if the user confirmed. A further question takes the place of one
 * that is open, which is then answered with `false`.
 *
 * @example
 * const confirm = useConfirm();
 * if (await confirm({ title: "Delete this note?", action: "Delete", tone: "failed" })) await remove();
 */
export function useConfirm(): (question: ConfirmQuestion) => Promise<boolean> {
  const { confirmation } = useKit();
  return (question) =>
    new Promise((resolve) => {
      confirmation.value?.answer(false);
      const request: ConfirmRequest = {
        ...question,
        answer(confirmed) {
          if (confirmation.value === request) confirmation.value = undefined;
          resolve(confirmed);
        },
      };
      confirmation.value = request;
    });
}
