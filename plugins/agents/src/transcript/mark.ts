import { timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { entrySchema, type Entry } from "./entry.ts";

/** A line between entries: the conversation continues from an earlier place, or with another session of the CLI. */
export const markSchema = z.object({
  at: timestamp,
  mark: z.discriminatedUnion("kind", [
    z.object({
      kind: z.literal("branch"),
      /** The entries before this one in the file, up to this byte, are what the next entry follows. */
      end: z.number().int().nonnegative(),
    }),
    z.object({
      kind: z.literal("session"),
      sessionId: z.string(),
      resumeKey: z.string().nullable(),
      /** The session knows nothing of what was said before. */
      isFresh: z.boolean(),
      /** The session is an earlier one: of what was said before, it knows what was said in it. */
      isReturn: z.boolean().default(false),
    }),
  ]),
});

export type Mark = z.infer<typeof markSchema>["mark"];
export type SessionMark = Extract<Mark, { kind: "session" }>;

/** What a line of a transcript is. */
export type TranscriptLine =
  { type: "entry"; entry: Entry } | { type: "mark"; mark: Mark };

const lineSchema = z.union([
  entrySchema.transform((entry) => ({ type: "entry" as const, entry })),
  markSchema.transform(({ mark }) => ({ type: "mark" as const, mark })),
]);

/** A line that damage made unreadable costs itself alone. */
export function parseLine(text: string): TranscriptLine | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
