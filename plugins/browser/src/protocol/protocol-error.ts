/** A call that Chromium refused, with its own message. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  readonly code = "BROWSER_PROTOCOL";
  readonly method: string;
  /** Chromium's error number, such as -32000. */
  readonly protocolCode: number;

  constructor(method: string, error: { code: number; message: string }) {
    super(`${method}: ${error.message}`);
    this.method = method;
    this.protocolCode = error.code;
  }
}

/** Code of the answer to a call on a closed connection. */
export const CONNECTION_CLOSED = -32_099;
