import type { Schema } from "@gantry/plugin";
import { errors } from "@gantry/system/errors";
import { FORBIDDEN_KEYS, hasForbiddenKey } from "./forbidden-keys.ts";

const MAX_DEPTH = 32;
const MAX_KEYS = 10_000;
const MAX_VALUES = 100_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Parses the bytes of one JSON object. How deep and how large it is is looked at first, in one pass over the bytes, so
 * that a hostile body costs no more than its length.
 *
 * A key that could reach an object's prototype is refused but where keys are data. There it is an own key of the value,
 * as `JSON.parse` makes it, until the schema of the body judges it.
 *
 * @param schema Of the body. It is asked only when there is such a key.
 * @throws `BODY_NOT_JSON`, `BODY_TOO_COMPLEX`, `BODY_FORBIDDEN_KEY`
 */
export function parseJsonObject(bytes: Uint8Array, schema?: Schema): object {
  checkComplexity(bytes);
  const value = parse(bytes, schema);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw errors.BODY_NOT_JSON();
  return value;
}

function checkComplexity(bytes: Uint8Array): void {
  let depth = 0;
  let keys = 0;
  let values = 0;
  for (let index = 0; index < bytes.length; index++) {
    switch (bytes[index]) {
      case QUOTE:
        index = endOfString(bytes, index + 1);
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (++depth > MAX_DEPTH) throw errors.BODY_TOO_COMPLEX();
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth--;
        break;
      case COLON:
        if (++keys > MAX_KEYS) throw errors.BODY_TOO_COMPLEX();
        break;
      case COMMA:
        if (++values > MAX_VALUES) throw errors.BODY_TOO_COMPLEX();
        break;
    }
  }
}

/** Index of the closing quote, or the end of the bytes. */
function endOfString(bytes: Uint8Array, start: number): number {
  let index = start;
  while (index < bytes.length && bytes[index] !== QUOTE)
    index += bytes[index] === BACKSLASH ? 2 : 1;
  return index;
}

function parse(bytes: Uint8Array, schema: Schema | undefined): unknown {
  let text: string;
  let value: unknown;
  try {
    text = decoder.decode(bytes);
    value = JSON.parse(text);
  } catch (cause) {
    throw errors.BODY_NOT_JSON({}, { cause });
  }
  // A key can only be forbidden if its letters, or an escape that could hide them, are in the text.
  const canBe =
    text.includes("\\u") || FORBIDDEN_KEYS.some((key) => text.includes(key));
  const isRefused =
    canBe &&
    hasForbiddenKey(value) &&
    (!schema || hasForbiddenKey(value, schema));
  if (isRefused) throw errors.BODY_FORBIDDEN_KEY();
  return value;
}
