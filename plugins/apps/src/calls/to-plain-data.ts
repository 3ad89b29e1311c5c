import { errors } from "../errors.ts";
import type { RegisteredApp } from "../registry/registered-app.ts";

/** Longest answer of an app, as JSON. */
const MAX_ANSWER_CHARACTERS = 1024 * 1024;

class TooLong extends Error {}

/**
 * What an app answered as plain data, as a client would get it. Whatever else it was is left out or refused: functions,
 * circles, numbers that JSON does not have.
 *
 * @throws `APP_VIEW_INVALID` for what is no JSON, or too long
 */
export function toPlainData(
  answer: unknown,
  { id, owner: { plugin } }: RegisteredApp,
  limit = MAX_ANSWER_CHARACTERS,
): unknown {
  let size = 0;
  // Counted on the way, so that an answer without end is given up instead of written out.
  const count = (key: string, value: unknown): unknown => {
    size += key.length + 4 + (typeof value === "string" ? value.length : 1);
    if (size > limit) throw new TooLong();
    return value;
  };
  const refuse = (reason: string) =>
    errors.APP_VIEW_INVALID({ id, plugin, field: "the answer", reason });
  let text: string | undefined;
  try {
    text = JSON.stringify(answer, count) as string | undefined;
  } catch (error) {
    throw error instanceof TooLong
      ? refuse(`is longer than ${limit} characters as JSON`)
      : refuse("is no JSON");
  }
  if (text !== undefined && text.length > limit)
    throw refuse(`is longer than ${limit} characters as JSON`);
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}
