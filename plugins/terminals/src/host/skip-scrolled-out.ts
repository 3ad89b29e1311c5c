const NEWLINE = 0x0a;
const RETURN = 0x0d;
const ESCAPE = 0x1b;
const BRACKET = 0x5b;
/** The ends of sequences that only colour what follows, or empty the rest of their own line. */
const STYLE = 0x6d;
const EMPTY_LINE = 0x4b;
/** The two shifts of the character set, and the first byte of the control characters beyond ASCII. */
const NOT_PLAIN = [0x0e, 0x0f, 0xc2];
/** The beginning of output with more styles than this is not left out, since they would be too many to keep. */
const MAX_STYLES = 64;
const RESETS = ["\x1b[m", "\x1b[0m"];

/**
 * Whether output only writes text, plain or coloured, and moves down. Nothing in it but the colours changes how later text
 * is drawn.
 */
export function isPlain(bytes: Uint8Array): boolean {
  if (NOT_PLAIN.some((byte) => bytes.includes(byte))) return false;
  let at = bytes.indexOf(ESCAPE);
  while (at >= 0) {
    const end = endOfStyle(bytes, at);
    if (end < 0) return false;
    at = bytes.indexOf(ESCAPE, end);
  }
  return true;
}

/** Where a sequence that may be in plain output ends; -1 if it is another one. */
function endOfStyle(bytes: Uint8Array, from: number): number {
  if (bytes[from + 1] !== BRACKET) return -1;
  let at = from + 2;
  // Digits, colons and semicolons.
  for (let byte = bytes[at]; byte !== undefined; byte = bytes[++at])
    if (byte < 0x30 || byte > 0x3b)
      return byte === STYLE || byte === EMPTY_LINE ? at + 1 : -1;
  return -1;
}

/**
 * Drops the beginning of plain output that its last `lines` lines scroll out of sight permanently. The screen is the same in
 * the end, and a flood costs next to nothing.
 */
export function dropScrolledOut(bytes: Buffer, lines: number): Buffer {
  let at = bytes.length;
  for (let line = 0; line <= lines; line++) {
    if (at <= 0) return bytes;
    at = bytes.lastIndexOf(NEWLINE, at - 1);
    if (at < 0) return bytes;
  }
  // Only here is the column known again.
  while (at > 0 && bytes[at - 1] !== RETURN)
    at = bytes.lastIndexOf(NEWLINE, at - 1);
  if (at <= 0) return bytes;
  const styles = stylesAfter(bytes.subarray(0, at + 1));
  if (!styles) return bytes;
  const kept = bytes.subarray(at + 1);
  return styles.length > 0 ? Buffer.concat([styles, kept]) : kept;
}

/** What has to be written for text to look as it does behind so much plain output; `undefined` if that is too much. */
function stylesAfter(bytes: Buffer): Buffer | undefined {
  const reset = Math.max(...RESETS.map((text) => bytes.lastIndexOf(text)));
  const styles = new Set<string>();
  let at = bytes.indexOf(ESCAPE, Math.max(0, reset));
  while (at >= 0) {
    const end = endOfStyle(bytes, at);
    if (bytes[end - 1] === STYLE) {
      const style = bytes.toString("latin1", at, end);
      // Each sets the same things to the same values whenever it comes, so that only its last time counts.
      styles.delete(style);
      styles.add(style);
      if (styles.size > MAX_STYLES) return undefined;
    }
    at = bytes.indexOf(ESCAPE, end);
  }
  return Buffer.from([...styles].join(""), "latin1");
}
