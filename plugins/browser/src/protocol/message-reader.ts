/** Largest message that is read: a picture of a very long page is about 60 MiB. */
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;

/**
 * Splits a stream into zero-terminated messages.
 *
 * @throws RangeError from the returned function when a message is larger than 128 MiB
 */
export function createMessageReader(
  onMessage: (text: string) => void,
  maxBytes = MAX_MESSAGE_BYTES,
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  return (chunk) => {
    let from = 0;
    for (let end; (end = chunk.indexOf(0, from)) !== -1; from = end + 1) {
      parts.push(chunk.subarray(from, end));
      const whole = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
      parts = [];
      size = 0;
      onMessage(whole.toString("utf8"));
    }
    if (from === chunk.length) return;
    parts.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > maxBytes)
      throw new RangeError(
        `A message of the browser exceeds ${maxBytes} bytes.`,
      );
  };
}
