import { openRawSocket } from "./raw-socket.ts";
import type { RawSocket } from "./raw-socket.ts";
import type { World } from "./world.ts";

/** The socket of the target. */
export const ECHO = "/api/target/echo";
/** What takes a second, on a machine that is slow and busy. Without an end these connections stay open for ever. */
export const LATEST_MS = 20_000;

/** Opens the socket of the target as our own page does. */
export function openEcho(world: World): Promise<RawSocket> {
  return openRawSocket(world.port, ECHO, [
    ["host", world.host],
    ["cookie", world.cookie],
    ["origin", world.origin],
  ]);
}

/** What is there soon, or a fault. */
export function withinSoon<Value>(promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error("It did not end."));
    const timer = setTimeout(late, LATEST_MS);
    void promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
