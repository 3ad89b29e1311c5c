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
 * the end, and a flood costs next to nothing: nothing is copied.
 *
 * @param pieces The output in order. None of them begins or ends within a sequence.
 */
export function dropScrolledOut(pieces: Buffer[], lines: number): Buffer[] {
  let line = 0;
  for (const [index, at] of findNewlines(pieces)) {
    const piece = pieces[index]!;
    // Only behind a return is the column known again.
    if (line++ < lines || piece[at - 1] !== RETURN) continue;
    const dropped = [...pieces.slice(0, index), piece.subarray(0, at)];
    const styles = stylesAfter(dropped);
    const kept = [piece.subarray(at + 1), ...pieces.slice(index + 1)];
    return styles ? [styles, ...kept] : pieces;
  }
  return pieces;
}

/** Where lines end, by piece and place in it, the last one first. */
function* findNewlines(
  pieces: readonly Buffer[],
): Generator<readonly [index: number, at: number]> {
  for (let index = pieces.length - 1; index >= 0; index--) {
    const piece = pieces[index]!;
    let at = piece.length;
    while (at > 0 && (at = piece.lastIndexOf(NEWLINE, at - 1)) >= 0)
      yield [index, at];
  }
}

/** What has to be written for text to look as it does behind so much plain output; `undefined` if that is too much. */
function stylesAfter(pieces: readonly Buffer[]): Buffer | undefined {
  const styled = pieces.filter((piece) => piece.includes(ESCAPE));
  const resetOf = (piece: Buffer) =>
    Math.max(...RESETS.map((text) => piece.lastIndexOf(text)));
  const first = styled.findLastIndex((piece) => resetOf(piece) >= 0);
  const styles = new Set<string>();
  for (const piece of styled.slice(Math.max(0, first))) {
    let at = piece.indexOf(ESCAPE, Math.max(0, resetOf(piece)));
    while (at >= 0) {
      const end = endOfStyle(piece, at);
      if (piece[end - 1] === STYLE) {
        const style = piece.toString("latin1", at, end);
        // Each sets the same things to the same values whenever it comes, so that only its last time counts.
        styles.delete(style);
        styles.add(style);
        if (styles.size > MAX_STYLES) return undefined;
      }
      at = piece.indexOf(ESCAPE, end);
    }
  }
  return Buffer.from([...styles].join(""), "latin1");
}
