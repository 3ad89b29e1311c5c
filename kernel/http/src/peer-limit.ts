import type { Server } from "node:http";
import type { Socket } from "node:net";
import { isLoopbackAddress } from "./peer-address.ts";

/** Connections that another machine may have open. This machine is not limited. */
const MAX_PEER_CONNECTIONS = 128;

/**
 * Closes connections of another machine beyond its limit, so that it cannot use up those of all clients.
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
    if (count >= MAX_PEER_CONNECTIONS) return void socket.destroy();
    counts.set(peer, count + 1);
    socket.once("close", () => {
      const left = (counts.get(peer) ?? 1) - 1;
      if (left > 0) counts.set(peer, left);
      else counts.delete(peer);
    });
  });
}
