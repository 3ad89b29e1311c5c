import { WAIT_MS } from "@gantry/build/testing";
import {
  openRaw,
  renderRequest,
} from "../../../kernel/core/test/support/raw-http.ts";
import type {
  RawAnswer,
  RawRequest,
} from "../../../kernel/core/test/support/raw-http.ts";

/** Sends one request on a connection of its own, reads one answer and hangs up. */
export async function ask(
  port: number,
  request: RawRequest | string | Uint8Array,
): Promise<RawAnswer> {
  const connection = await openRaw(port);
  const isPlain = typeof request === "string" || request instanceof Uint8Array;
  // Hanging up ends the wait for an answer with what has come so far.
  const { socket } = connection;
  const timer = setTimeout(() => socket.destroy(), WAIT_MS);
  connection.write(isPlain ? request : renderRequest(request));
  try {
    return await connection.answer(isPlain ? undefined : request.method);
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}
