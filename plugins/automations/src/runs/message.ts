import { MAX_MESSAGE_BYTES } from "../wire/run.ts";

/** Cuts a text to at most `longest` bytes, by default the limit of a message, never within a character. */
export function clipMessage(text: string, longest = MAX_MESSAGE_BYTES): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= longest) return text;
  let end = longest;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end);
}
