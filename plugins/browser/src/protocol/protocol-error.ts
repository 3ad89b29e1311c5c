/** A call that Chromium refused, with its own message. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  /** Chromium's error number, such as -32000. */
  readonly protocolCode: number;

  constructor(method: string, error: { code: number; message: string }) {
    super(`${method}: ${error.message}`);
    this.protocolCode = error.code;
  }
}
