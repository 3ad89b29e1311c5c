const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN = new Set([0x7b, 0x5b]);
const CLOSE = new Set([0x7d, 0x5d]);

/** Longer keys and values are skipped. */
const MAX_TOKEN_BYTES = 1024;
const MAX_FIELDS = 32;

/**
 * Reads the scalar fields of a JSON object, such as id and type, from a stream of bytes: they identify a line that is
 * too long to keep. Nested values are skipped.
 */
export class TopLevelFields {
  readonly #fields = new Map<string, unknown>();
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #key: string | undefined;
  #isKey = false;
  /** Bytes of the current key or value; `undefined` if it is not kept. */
  #token: number[] | undefined;

  get fields(): ReadonlyMap<string, unknown> {
    return this.#fields;
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 1) {
      if (this.#inString && this.#token === undefined && !this.#isEscaped) {
        at = skipString(bytes, at);
        if (at >= bytes.length) return;
      }
      this.#step(bytes[at]!);
    }
  }

  #step(byte: number): void {
    if (this.#inString) return this.#inText(byte);
    const isTop = this.#depth === 1;
    if (byte === QUOTE) {
      this.#inString = true;
      if (isTop) this.#keep(byte);
    } else if (OPEN.has(byte)) {
      this.#depth += 1;
      this.#token = this.#depth === 1 ? [] : undefined;
      this.#isKey = this.#depth === 1;
    } else if (CLOSE.has(byte)) {
      if (isTop) this.#endValue();
      this.#depth -= 1;
    } else if (isTop && byte === COMMA) {
      this.#endValue();
      this.#token = [];
      this.#isKey = true;
    } else if (isTop && byte === COLON) {
      const key = parse(this.#token);
      this.#key = typeof key === "string" ? key : undefined;
      this.#token = [];
      this.#isKey = false;
    } else if (isTop) {
      this.#keep(byte);
    }
  }

  #inText(byte: number): void {
    if (this.#depth === 1) this.#keep(byte);
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#inString = false;
  }

  #keep(byte: number): void {
    if (this.#token && this.#token.length >= MAX_TOKEN_BYTES)
      this.#token = undefined;
    this.#token?.push(byte);
  }

  #endValue(): void {
    const value = this.#isKey ? undefined : parse(this.#token);
    if (this.#key !== undefined && value !== undefined)
      if (this.#fields.size < MAX_FIELDS) this.#fields.set(this.#key, value);
    this.#key = undefined;
  }
}

/** Position of the next significant byte in a string whose text is not kept. */
function skipString(bytes: Uint8Array, from: number): number {
  const quote = bytes.indexOf(QUOTE, from);
  const end = quote === -1 ? bytes.length : quote;
  const backslash = bytes.subarray(from, end).indexOf(BACKSLASH);
  return backslash === -1 ? end : from + backslash;
}

function parse(token: readonly number[] | undefined): unknown {
  if (!token?.length) return undefined;
  try {
    return JSON.parse(Buffer.from(token).toString("utf8"));
  } catch {
    return undefined;
  }
}
