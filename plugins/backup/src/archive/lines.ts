import { nextTurn } from "./next-turn.ts";

const LINE_END = 0x0a;
/** Lines after which other work runs. */
const LINES_PER_TURN = 500;

/**
 * Splits bytes into lines, without their ends. Bytes after the last line end are a line as well.
 *
 * @param onTooLong Makes the error for a line of more than `maxBytes`.
 */
export async function* readLines(
  source: AsyncIterable<Buffer>,
  maxBytes: number,
  onTooLong: () => Error,
): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  let begunBytes = 0;
  let lines = 0;
  for await (const chunk of source) {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_END, start);
      if (end < 0) break;
      const rest = chunk.subarray(start, end);
      yield begunBytes > 0
        ? Buffer.concat([...begun, rest]).toString()
        : rest.toString();
      begun = [];
      begunBytes = 0;
      start = end + 1;
      if (++lines % LINES_PER_TURN === 0) await nextTurn();
    }
    begun.push(chunk.subarray(start));
    begunBytes += chunk.length - start;
    if (begunBytes > maxBytes) throw onTooLong();
  }
  if (begunBytes > 0) yield Buffer.concat(begun).toString();
}
