const HEAD_END = "\r\n\r\n";
/** End of a body in chunks. JSON on one line does not have it inside. */
const LAST_CHUNK = "0\r\n\r\n";

/** Finds the end of each answer to requests that are sent one after the other on a connection. */
export interface AnswerReader {
  /**
   * Takes the next bytes. Tells whether the answer is complete; the next bytes are those of another one.
   *
   * @throws Error if the answer is not a 200, or does not say where it ends
   */
  add(bytes: Buffer): boolean;
}

export function createAnswerReader(): AnswerReader {
  let text = "";
  /** Length of the answer with its head; 0 while it is not known. */
  let length = 0;
  let received = 0;

  function readLength(headEnd: number): number {
    const head = text.slice(0, headEnd);
    if (!head.startsWith("HTTP/1.1 200 "))
      throw new Error(`An answer was no 200: ${head.split("\r\n", 1)[0]}`);
    const [, bytes] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
    if (bytes !== undefined) return headEnd + HEAD_END.length + Number(bytes);
    if (!/\r\ntransfer-encoding: *chunked/i.test(head))
      throw new Error("An answer has neither a length nor chunks.");
    return text.endsWith(LAST_CHUNK) ? received : 0;
  }

  return {
    add(bytes) {
      received += bytes.length;
      if (length === 0) {
        text += bytes.toString("latin1");
        const headEnd = text.indexOf(HEAD_END);
        if (headEnd !== -1) length = readLength(headEnd);
      }
      if (length === 0 || received < length) return false;
      text = "";
      length = received = 0;
      return true;
    },
  };
}
