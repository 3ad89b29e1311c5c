import * as z from "zod";
import { errors } from "../errors.ts";
import { IMAGE_TYPES } from "../queue/attachments.ts";
import { MAX_MESSAGE_TEXT } from "../transcript/entry.ts";

/** The path parameter that names an agent. */
export const agentParameter = {
  id: { prefix: "agt", missing: errors.AGENT_NOT_FOUND },
} as const;

// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** A name in one line. */
export const nameInput = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine((name) => !CONTROL.test(name), {
    error: "must be one line without control characters",
  });

/** An absolute path; whether the folder exists is checked later. */
export const folderInput = z
  .string()
  .min(1)
  .max(4096)
  .refine((path) => !path.includes("\0"), { error: "must not contain NUL" });

/** A value that is passed to a CLI as an argument, so that it must not look like an option. */
export const flagInput = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((value) => !CONTROL.test(value) && !value.startsWith("-"), {
    error: 'must not begin with "-" or contain control characters',
  });

export const messageInput = z
  .string()
  .max(MAX_MESSAGE_TEXT)
  .refine((text) => !text.includes("\0"), { error: "must not contain NUL" });

const image = z.strictObject({
  mimeType: z.enum(IMAGE_TYPES),
  /** Base64 of at most 4 MB. */
  data: z.string().max(6 * 1024 * 1024),
});

export const imagesInput = z.array(image).max(4);

/** Maximum body size of an operation that takes pictures. */
export const MAX_MESSAGE_BODY_BYTES = 25 * 1024 * 1024;

/**
 * Converts the cursor of a page to a position in the transcript.
 *
 * @throws AGENT_BAD_CURSOR
 */
export function toCursor(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw errors.AGENT_BAD_CURSOR();
  return Number(text);
}
