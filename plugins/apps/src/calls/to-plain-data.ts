import { errors } from "../errors.ts";
import type { RegisteredApp } from "../registry/registered-app.ts";

/** Longest answer of an app, as JSON. */
const MAX_ANSWER_CHARACTERS = 1024 * 1024;
/** Characters that are counted for a member besides its key and its text: quotes, a colon, a comma. */
const MEMBER_CHARACTERS = 4;

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
  const demandRoom = (characters: number) => {
    if (size + characters > limit) throw new TooLong();
  };
  // Counted on the way, so that an answer without end is given up instead of written out.
  const count = (key: string, value: unknown): unknown => {
    size += key.length + MEMBER_CHARACTERS + 1;
    demandRoom(lengthOf(value));
    if (typeof value === "string") size += value.length;
    // The values of a Buffer are listed before it gets here itself.
    else if (typeof value === "object" && value !== null)
      for (const part of Object.values(value)) demandRoom(lengthOf(part));
    return value;
  };
  const refuse = (reason: string) =>
    errors.APP_VIEW_INVALID({ id, plugin, field: "the answer", reason });
  let text: string | undefined;
  try {
    demandRoom(lengthOf(answer));
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

/**
 * The least that a value takes as JSON. It is known without a look at what is in it: a Buffer, a typed array or an array of a
 * billion elements is made in no time, and takes seconds to go through.
 */
function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (value instanceof String) return value.length;
  if (!Array.isArray(value) && !ArrayBuffer.isView(value)) return 0;
  const { length = 0 } = value as { length?: number };
  return length * (MEMBER_CHARACTERS + 1);
}
