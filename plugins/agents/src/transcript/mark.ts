import { timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { entrySchema, type Entry } from "./entry.ts";

/** A line between entries: the conversation continues from an earlier entry, or with another session of the CLI. */
export const markSchema = z.object({
  at: timestamp,
  mark: z.discriminatedUnion("kind", [
    z.object({
      kind: z.literal("branch"),
      /** Byte offset in the file; the next entry follows the branch that ends there. */
      end: z.number().int().nonnegative(),
    }),
    z.object({
      kind: z.literal("session"),
      sessionId: z.string(),
      resumeKey: z.string().nullable(),
      /** Whether the session contains none of the earlier entries. */
      isFresh: z.boolean(),
      /** Whether it is an earlier session, which contains only its own entries among the earlier ones. */
      isReturn: z.boolean().default(false),
    }),
  ]),
});

export type Mark = z.infer<typeof markSchema>["mark"];
export type SessionMark = Extract<Mark, { kind: "session" }>;

/** A parsed line of a transcript. */
export type TranscriptLine =
  { type: "entry"; entry: Entry } | { type: "mark"; mark: Mark };

const lineSchema = z.union([
  entrySchema.transform((entry) => ({ type: "entry" as const, entry })),
  markSchema.transform(({ mark }) => ({ type: "mark" as const, mark })),
]);

/** Parses a line; `undefined` for a damaged one, so that the rest of the file stays readable. */
export function parseLine(text: string): TranscriptLine | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
