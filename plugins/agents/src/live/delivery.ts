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

/** How a driver says that a turn is over. */
export type TurnEnd = Extract<DriverEvent, { type: "turn-ended" }>;

/** An agent is at work already; what came stays in the queue. */
export class AgentBusy extends Error {}

/** The turn was stopped before its prompt was sent. */
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

/** The end of a turn that somebody stopped. */
export const CANCELLED: TurnEnd = toEnd("cancelled", null);

/** The end of a turn whose prompt did not get through. */
export function toFailure(error: unknown): TurnEnd {
  if (error instanceof StoppedBefore) return CANCELLED;
  return toEnd("error", describeError(error));
}

/** An end without an answer. */
export function toEnd(
  stopReason: "cancelled" | "error",
  error: string | null,
): TurnEnd {
  return { type: "turn-ended", stopReason, answer: "", error };
}
