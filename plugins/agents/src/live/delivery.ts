import { describeError } from "@gantry/plugin";
import type { DriverEvent, PromptImage } from "@gantry/agent-kit";
import {
  cutText,
  MAX_MESSAGE_TEXT,
  type NewEntry,
} from "../transcript/entry.ts";

/** A message that is being delivered to the CLI. */
export interface Delivery {
  turnId: string;
  taskId: string | null;
  runId: string | null;
  source: string;
  text: string;
  /** Text that the CLI gets before the message, and that is not part of the conversation. */
  context: string;
  images: readonly PromptImage[];
}

/** The end of a turn, as a driver reports it. */
export type TurnEnd = Omit<
  Extract<DriverEvent, { type: "turn-ended" }>,
  "type" | "turn"
>;

/** Thrown if the CLI certainly did not receive the message, which stays in the queue. */
export class NotDelivered extends Error {}

/** Thrown if a turn of the agent is running already. */
export class AgentBusy extends NotDelivered {}

/** Thrown if it is unknown whether the CLI received the message, which is therefore not sent again automatically. */
export class Unconfirmed extends Error {
  constructor() {
    super(UNCONFIRMED);
  }
}

/** Message for the user about a message that the CLI may or may not have received. */
export const UNCONFIRMED =
  "The agent ended while this message was being delivered, and it is unknown whether it received it. Send it again if needed.";

/** Thrown if the turn was stopped before the CLI received its prompt. */
export class StoppedBefore extends Error {
  constructor() {
    super("It was stopped before it was sent.");
  }
}

/** The entry of the conversation for a message. */
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

/** The end of a turn whose prompt could not be delivered. */
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
