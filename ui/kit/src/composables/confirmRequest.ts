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
  /** A word that has to be typed first. For what must not happen by accident. */
  type?: string;
}

/** A question that waits for its answer. */
export interface ConfirmRequest extends ConfirmQuestion {
  answer(confirmed: boolean): void;
}
