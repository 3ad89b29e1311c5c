import type { Server } from "node:http";
import type { Socket } from "node:net";
import { isLoopbackAddress } from "./peer-address.ts";

/** Connections that one other machine may have open; this one itself is trusted with all there are. */
const MOST_OF_PEER = 128;

/**
 * Cuts off what a single other machine opens beyond its share, so that it cannot keep out everybody else.
 *
 * @param isUnlimited whether an address may open more, as a proxy must
 */
export function limitPeers(
  server: Server,
  isUnlimited: (address: string) => boolean = () => false,
): void {
  const counts = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const peer = socket.remoteAddress ?? "";
    if (isLoopbackAddress(peer) || isUnlimited(peer)) return;
    const count = counts.get(peer) ?? 0;
    if (count >= MOST_OF_PEER) return void socket.destroy();
    counts.set(peer, count + 1);
    socket.once("close", () => {
      const left = (counts.get(peer) ?? 1) - 1;
      if (left > 0) counts.set(peer, left);
      else counts.delete(peer);
    });
  });
}
