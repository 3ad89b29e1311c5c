import { toVisibleText } from "@gantry/plugin";
import { cutText } from "./transcript/entry.ts";

/** What would do more in a terminal than stand there, or stand there in another order. */
const CONTROL = /(?![\n\t])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

const MAX_SHOWN = 150;

/** Whether a text has characters that {@link toPlainText} removes. */
export function hasControls(text: string): boolean {
  return text.search(CONTROL) >= 0;
}

/** A text without control characters but line feeds and tabs. */
export function toPlainText(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(CONTROL, "");
}

/** A name that others chose, as it can be shown. */
export function showName(name: string): string {
  const { text, truncated } = cutText(name, MAX_SHOWN);
  return toVisibleText(truncated ? `${text}…` : text).replaceAll(/\s/g, " ");
}

/** The first bytes of a text, in whole characters. */
export function cutBytes(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return text;
  // With `stream`, the decoder keeps back the beginning of a character.
  return new TextDecoder().decode(bytes.subarray(0, maxBytes), {
    stream: true,
  });
}
