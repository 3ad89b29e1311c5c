import { LONGEST_MESSAGE } from "../wire/run.ts";

/** Cuts a text to the bytes that are kept of a message, never through a character. */
export function clipMessage(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= LONGEST_MESSAGE) return text;
  let end = LONGEST_MESSAGE;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end);
}
