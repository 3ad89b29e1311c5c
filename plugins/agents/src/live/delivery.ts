import { describeError } from "@gantry/plugin";
import type { DriverEvent, PromptImage } from "../driver.ts";
import {
  cutText,
  MAX_MESSAGE_TEXT,
  type NewEntry,
} from "../transcript/entry.ts";

/** A message on its way to the CLI. */
export interface Delivery {
  turnId: string;
  taskId: string | null;
  runId: string | null;
  source: string;
  text: string;
  /** What the CLI gets before the text, and the conversation does not repeat. */
  context: string;
  images: readonly PromptImage[];
}

/** How a turn is over, as a driver tells it. */
export type TurnEnd = Omit<
  Extract<DriverEvent, { type: "turn-ended" }>,
  "type" | "turn"
>;

/** The CLI certainly does not have the message, which stays in the queue. */
export class NotDelivered extends Error {}

/** The agent is busy already. */
export class AgentBusy extends NotDelivered {}

/** Nothing shows whether the CLI has the message, so it is not sent again without the user. */
export class Unconfirmed extends Error {
  constructor() {
    super(UNCONFIRMED);
  }
}

/** What the user reads of a message that the CLI may or may not have. */
export const UNCONFIRMED =
  "The agent was ended while this message was handed over, and nothing shows whether it got it. Send it again if it is needed.";

/** The turn was stopped before the CLI had its prompt. */
export class StoppedBefore extends Error {
  constructor() {
    super("It was stopped before it was sent.");
  }
}

/** The entry that a message becomes. */
export function toMessageEntry(
  delivery: Delivery,
  kind: "prompt" | "steer",
): NewEntry {
  const { turnId, taskId, runId, source, text, images } = delivery;
  return {
    turnId,
    role: "user",
    kind: "text",
    ...cutText(text, MAX_MESSAGE_TEXT),
    message: {
      taskId,
      ...(runId !== null && { runId }),
      source,
      delivery: kind,
      images: images.length,
    },
  };
}

/** The end of a turn that was stopped. */
export const CANCELLED: TurnEnd = toEnd("cancelled", null);

/** The end of a turn whose prompt did not get through. */
export function toFailure(error: unknown): TurnEnd {
  return toEnd("error", describeError(error));
}

/** An end without an answer. */
export function toEnd(
  stopReason: "cancelled" | "error",
  error: string | null,
): TurnEnd {
  return { stopReason, answer: "", error };
}
