import { timestamp } from "@gantry/plugin/zod";
import * as z from "zod";

/** Tokens and cost; an unknown figure is `null`. */
export const usageSchema = z.object({
  inputTokens: z.number().nullable(),
  outputTokens: z.number().nullable(),
  costUsd: z.number().nullable(),
});

/** An entry of a conversation, in a format that is the same for every CLI. */
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
  /** Set if only the beginning of the text was kept. */
  truncated: z.literal(true).optional(),
  /** Set if the turn ended before the text was complete. */
  incomplete: z.literal(true).optional(),
  /** Set on the entry that reports that a stop or a crash of the daemon cut the turn off. */
  cutOff: z.literal(true).optional(),
  /** On messages of the user: the task or run that it belongs to, its source, and how it was delivered. */
  message: z
    .object({
      taskId: z.string().nullable(),
      /** The run of an automation, if it belongs to one. */
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
  /** On usage: the running total of the cost that the CLI reported, if it reports one. */
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

/** An entry to append. It has an id already if parts of it were streamed to clients. */
export type NewEntry = Omit<Entry, "id" | "parentId" | "at"> & { id?: string };

/** Maximum length of an entry's text; longer output of tools is cut. */
export const MAX_ENTRY_TEXT = 256 * 1024;
/** Maximum length of a user's message, which must not be cut. */
export const MAX_MESSAGE_TEXT = 512 * 1024;

/** Cuts a text to the maximum length of an entry, never within a surrogate pair. */
export function cutText(
  text: string,
  limit = MAX_ENTRY_TEXT,
): { text: string; truncated?: true } {
  if (text.length <= limit) return { text };
  const last = text.charCodeAt(limit - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
  return { text: text.slice(0, end), truncated: true };
}
