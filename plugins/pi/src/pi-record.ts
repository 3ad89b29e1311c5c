import * as z from "zod";
import type { RecordedMessage } from "@gantry/agent-kit";

const userLine = z.object({
  type: z.literal("message"),
  timestamp: z.string(),
  message: z.object({
    role: z.literal("user"),
    content: z.union([
      z.string(),
      z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
    ]),
  }),
});

/** The user's message in a line of a session file. */
export function readPiMessage(line: unknown): RecordedMessage | undefined {
  const { data } = userLine.safeParse(line);
  if (!data) return undefined;
  const { content } = data.message;
  const text =
    typeof content === "string"
      ? content
      : content.flatMap((part) => part.text ?? []).join("\n");
  return { at: data.timestamp, text };
}
