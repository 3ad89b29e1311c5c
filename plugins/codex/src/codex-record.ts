import * as z from "zod";
import type { RecordedMessage } from "@gantry/agent-kit";

const userLine = z.object({
  timestamp: z.string(),
  type: z.literal("response_item"),
  payload: z.object({
    type: z.literal("message"),
    role: z.literal("user"),
    content: z.array(
      z.looseObject({ type: z.string(), text: z.string().optional() }),
    ),
  }),
});

/** The user's message in a line of a rollout. */
export function readCodexMessage(line: unknown): RecordedMessage | undefined {
  const { data } = userLine.safeParse(line);
  if (!data) return undefined;
  const texts = data.payload.content.flatMap(({ text }) => text ?? []);
  return { at: data.timestamp, text: texts.join("\n") };
}
