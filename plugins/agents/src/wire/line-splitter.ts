/** A line of a wire, without its end; or what is left of one that was longer than the cap. */
export type WireLine =
  | { kind: "line"; text: string }
  | { kind: "oversized"; head: string; bytes: number };

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Splits bytes into lines at LF alone. Node's `readline` would also split at U+2028, which is legal inside JSON.
 * Of a line over the cap only its beginning is kept, so that a stream without any line end costs no memory.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #headBytes: number;
  #parts: Uint8Array[] = [];
  #length = 0;

  constructor(maxBytes = 1024 * 1024, headBytes = 64 * 1024) {
    this.#maxBytes = maxBytes;
    this.#headBytes = Math.min(headBytes, maxBytes);
  }

  /** Gives the lines that a chunk completes. */
  push(chunk: Uint8Array): WireLine[] {
    const lines: WireLine[] = [];
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end === -1) break;
      this.#keep(chunk.subarray(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines;
  }

  /** Gives the last line, if the stream ended without a line end. */
  end(): WireLine[] {
    return this.#length > 0 ? [this.#take()] : [];
  }

  #keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const before = this.#length;
    this.#length += bytes.length;
    if (this.#length <= this.#maxBytes) {
      // Copied: the chunk belongs to a pool that the reader uses again.
      this.#parts.push(bytes.slice());
    } else if (before <= this.#maxBytes) {
      const head = join([...this.#parts, bytes], this.#headBytes);
      this.#parts = [head];
    }
  }

  #take(): WireLine {
    const bytes = join(this.#parts, this.#maxBytes);
    const length = this.#length;
    this.#parts = [];
    this.#length = 0;
    if (length > this.#maxBytes) {
      return { kind: "oversized", head: decode(bytes), bytes: length };
    }
    const end =
      bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
    return { kind: "line", text: decode(bytes.subarray(0, end)) };
  }
}

function join(parts: readonly Uint8Array[], limit: number): Uint8Array {
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  const joined = new Uint8Array(Math.min(total, limit));
  let at = 0;
  for (const part of parts) {
    if (at >= joined.length) break;
    const piece = part.subarray(0, joined.length - at);
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

/** Bytes that are not UTF-8 become the replacement character; a line is never lost for them. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
