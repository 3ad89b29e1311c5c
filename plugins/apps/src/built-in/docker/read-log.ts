/** A line of a container's log. */
export interface ContainerLine {
  text: string;
  /** RFC 3339; `undefined` where the engine gave none. */
  time: string | undefined;
  isError: boolean;
}

const HEADER_BYTES = 8;
const STDERR = 2;
const TIMED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d) ?/;
/** Colours and cursor movements of terminals. */
// eslint-disable-next-line no-control-regex -- they begin with one
const ESCAPES = /\u001b\[[\d;?]*[ -/]*[@-~]|\u001b\][^\u0007]*\u0007/g;

/**
 * Reads a log as the engine sends it: frames with a head of eight bytes, the first the stream and the last four the length; or,
 * of a container with a terminal, the text alone.
 */
export function readLog(bytes: Buffer): ContainerLine[] {
  return toFrames(bytes).flatMap(({ text, isError }) =>
    text
      .split(/\r?\n/)
      .filter((line) => line !== "")
      .map((line) => toLine(line, isError)),
  );
}

function toFrames(bytes: Buffer): { text: string; isError: boolean }[] {
  const frames: { text: string; isError: boolean }[] = [];
  for (let at = 0; at < bytes.length;) {
    const isHeader =
      at + HEADER_BYTES <= bytes.length &&
      bytes[at]! <= STDERR &&
      bytes.readUIntBE(at + 1, 3) === 0;
    if (!isHeader)
      return [...frames, { text: bytes.toString("utf8", at), isError: false }];
    const end = at + HEADER_BYTES + bytes.readUInt32BE(at + 4);
    const text = bytes.toString("utf8", at + HEADER_BYTES, end);
    frames.push({ text, isError: bytes[at] === STDERR });
    at = end;
  }
  return frames;
}

function toLine(line: string, isError: boolean): ContainerLine {
  const [found = "", seconds, fraction = "", zone] = TIMED.exec(line) ?? [];
  return {
    text: line.slice(found.length).replace(ESCAPES, ""),
    // The engine writes nanoseconds.
    time: seconds && `${seconds}${fraction.slice(0, 4)}${zone}`,
    isError,
  };
}
