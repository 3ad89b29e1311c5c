import { timestamp } from "@gantry/plugin/zod";
import * as z from "zod";

/** Tokens and money; unknown is `null`. */
export const usageSchema = z.object({
  inputTokens: z.number().nullable(),
  outputTokens: z.number().nullable(),
  costUsd: z.number().nullable(),
});

/** One entry of a conversation in our own form, the same for every CLI. */
export const entrySchema = z.object({
  id: z.string(),
  /** The entry before it; `null` for the first. */
  parentId: z.string().nullable(),
  at: timestamp,
  /** The turn it belongs to; `null` outside of turns. */
  turnId: z.string().nullable(),
  role: z.enum(["user", "assistant", "system"]),
  kind: z.enum([
    "text",
    "thinking",
    "tool",
    "usage",
    "dialog",
    "error",
    "notice",
  ]),
  text: z.string(),
  /** Only the beginning of the text was kept. */
  truncated: z.literal(true).optional(),
  /** The turn ended before the text did. */
  incomplete: z.literal(true).optional(),
  /** A stop or a crash of the daemon cut the turn off; this entry reports it. */
  cutOff: z.literal(true).optional(),
  /** On messages of the user: the task or the run that it came with, its source, and how it was given. */
  message: z
    .object({
      taskId: z.string().nullable(),
      /** The run of an automation, if it is one. */
      runId: z.string().optional(),
      source: z.string(),
      delivery: z.enum(["prompt", "steer"]),
      images: z.number(),
    })
    .optional(),
  tool: z
    .object({
      callId: z.string(),
      name: z.string(),
      title: z.string(),
      input: z.string(),
      failed: z.boolean(),
    })
    .optional(),
  usage: usageSchema.optional(),
  /** On usage: the running total that the CLI reported, if it has one. */
  reportedCostUsd: z.number().nullable().optional(),
  dialog: z
    .object({
      id: z.string(),
      kind: z.enum(["permission", "question"]),
      answer: z.string().nullable(),
    })
    .optional(),
});

export type Entry = z.infer<typeof entrySchema>;

/** An entry before the transcript gave it its place. Its id may be known before, from the pieces that were streamed. */
export type NewEntry = Omit<Entry, "id" | "parentId" | "at"> & { id?: string };

/** Longest text of an entry; what a tool said beyond it is of no use to a reader. */
export const MAX_ENTRY_TEXT = 256 * 1024;
/** Longest message of a user, which must not be cut. */
export const MAX_MESSAGE_TEXT = 512 * 1024;

/** Cuts a text to what an entry holds, never inside a surrogate pair. */
export function cutText(
  text: string,
  limit = MAX_ENTRY_TEXT,
): { text: string; truncated?: true } {
  if (text.length <= limit) return { text };
  const last = text.charCodeAt(limit - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
  return { text: text.slice(0, end), truncated: true };
}
