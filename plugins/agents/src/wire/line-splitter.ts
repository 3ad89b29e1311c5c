import { TextTail } from "./text-tail.ts";
import { TopLevelFields } from "./top-level-fields.ts";

/** What is left of a line that was longer than the cap. */
export interface OversizedLine {
  kind: "oversized";
  head: string;
  tail: string;
  /** Plain fields of the JSON object that it was, wherever in it they stood. */
  fields: ReadonlyMap<string, unknown>;
  bytes: number;
}

/** A line of a wire, without its end. */
export type WireLine = { kind: "line"; text: string } | OversizedLine;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Splits bytes into lines at LF alone. Node's `readline` would also split at U+2028, which is legal inside JSON.
 * Of a line over the cap only both ends are kept, so that a stream without any line end costs no memory.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  /** Kept of each end of a line that is too long. */
  readonly #endBytes: number;
  #parts: Uint8Array[] = [];
  #length = 0;
  /** Of a line that is too long. */
  #fields: TopLevelFields | undefined;
  #tail: TextTail | undefined;

  constructor(maxBytes = 1024 * 1024, endBytes = 64 * 1024) {
    this.#maxBytes = maxBytes;
    this.#endBytes = Math.min(endBytes, maxBytes);
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
      const parts = [...this.#parts, bytes];
      this.#fields = new TopLevelFields();
      this.#tail = new TextTail(this.#endBytes);
      for (const part of parts) this.#pass(part);
      this.#parts = [join(parts, this.#endBytes)];
    } else {
      this.#pass(bytes);
    }
  }

  /** Takes from bytes that are not kept what identifies the line. */
  #pass(bytes: Uint8Array): void {
    this.#fields?.push(bytes);
    this.#tail?.push(bytes);
  }

  #take(): WireLine {
    const bytes = join(this.#parts, this.#maxBytes);
    const length = this.#length;
    this.#parts = [];
    this.#length = 0;
    if (length > this.#maxBytes) {
      const { fields = new Map() } = this.#fields ?? {};
      const tail = this.#tail?.text() ?? "";
      this.#fields = undefined;
      this.#tail = undefined;
      const head = decode(bytes);
      return { kind: "oversized", head, tail, fields, bytes: length };
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
