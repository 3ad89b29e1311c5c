const ESC = 0x1b;
const BEL = 0x07;
const CANCEL = 0x18;
const SUBSTITUTE = 0x1a;

const GROUND = 0;
const ESCAPE = 1;
const CONTROL = 2;
const STRING = 3;
const STRING_ESCAPE = 4;

/** Follows output so far as to know where an escape sequence or a character is still unfinished. */
export interface SequenceScanner {
  /** Takes the next piece of output. Gives how many of its bytes come before what is unfinished at its end; 0 if all is. */
  scan(chunk: Uint8Array): number;
  /** The bytes that began a string (OSC, DCS …) which has not ended yet; `undefined` outside of one. */
  readonly stringOpener: string | undefined;
  readonly isGround: boolean;
}

/** Makes a scanner at the start of an output. */
export function createSequenceScanner(): SequenceScanner {
  let state = GROUND;
  let opener: string | undefined;

  function step(byte: number): void {
    if (byte === CANCEL || byte === SUBSTITUTE) {
      state = GROUND;
      return;
    }
    if (state === STRING) {
      if (byte === ESC) state = STRING_ESCAPE;
      // Only a title and its like may end with a bell; to others it is content, and ending late is what costs nothing.
      else if (byte === BEL && opener === "]") state = GROUND;
      return;
    }
    if (byte === ESC) {
      state = ESCAPE;
    } else if (state === ESCAPE || state === STRING_ESCAPE) {
      const char = String.fromCharCode(byte);
      if ("]PX^_".includes(char)) {
        state = STRING;
        opener = char;
      } else if (char === "[") state = CONTROL;
      else if (byte < 0x20) return;
      // Bytes between announce one more, such as the character set in `ESC ( B`.
      else if (byte > 0x2f) state = GROUND;
    } else if (state === CONTROL && byte >= 0x40 && byte < 0x7f) {
      state = GROUND;
    }
  }

  return {
    scan(chunk) {
      let safe = 0;
      let at = 0;
      while (at < chunk.length) {
        if (state === GROUND) {
          const next = chunk.indexOf(ESC, at);
          if (next < 0) return wholeCharacters(chunk);
          safe = next;
          at = next;
        }
        step(chunk[at] ?? 0);
        at++;
        if (state === GROUND) safe = at;
      }
      return state === GROUND ? wholeCharacters(chunk) : safe;
    },
    get stringOpener() {
      return state === STRING || state === STRING_ESCAPE
        ? `\x1b${opener}`
        : undefined;
    },
    get isGround() {
      return state === GROUND;
    },
  };
}

/** How many bytes are left without a character of UTF-8 that is cut off at the end. */
function wholeCharacters(chunk: Uint8Array): number {
  const { length } = chunk;
  for (let back = 1; back <= Math.min(3, length); back++) {
    const byte = chunk[length - back] ?? 0;
    if (byte < 0x80) return length;
    if (byte >= 0xc0) {
      const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return needs > back ? length - back : length;
    }
  }
  return length;
}
