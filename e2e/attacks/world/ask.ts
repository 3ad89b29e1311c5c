import {
  openRaw,
  renderRequest,
} from "../../../kernel/test/support/raw-http.ts";
import type {
  RawAnswer,
  RawRequest,
} from "../../../kernel/test/support/raw-http.ts";

/** Sends one request on a connection of its own, reads one answer and hangs up. */
export async function ask(
  port: number,
  request: RawRequest | string | Uint8Array,
): Promise<RawAnswer> {
  const connection = await openRaw(port);
  const isPlain = typeof request === "string" || request instanceof Uint8Array;
  connection.write(isPlain ? request : renderRequest(request));
  try {
    return await connection.answer(isPlain ? undefined : request.method);
  } finally {
    connection.socket.destroy();
  }
}
