import { useKit } from "../internal/context.ts";

/** A question before something that is hard to take back. */
export interface ConfirmQuestion {
  /** A question: `Revoke this device?` */
  title: string;
  /** What will happen, in a sentence or two. */
  body?: string;
  /** What the button does, as a verb: `Revoke`. */
  action: string;
  cancel?: string;
  /** `failed` for what destroys something. */
  tone?: "neutral" | "failed";
  /** A word that has to be typed first. For what nobody should do by accident. */
  type?: string;
}

/** A question that waits for its answer. */
export interface ConfirmRequest extends ConfirmQuestion {
  answer(confirmed: boolean): void;
}

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
