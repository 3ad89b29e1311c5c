import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv6 } from "node:net";

/** Tells who sends a request. */
export type Peers = ReturnType<typeof createPeers>;

/**
 * Reads the peer of each request. `X-Forwarded-For` counts only where the socket's own address is in the
 * list, and of it only the last value, which the proxy itself wrote; everything before it is the sender's word.
 *
 * @param trustedProxies addresses and networks: `127.0.0.1`, `10.0.0.0/8`, `fd00::/8`
 */
export function createPeers(trustedProxies: readonly string[]) {
  const proxies = new BlockList();
  for (const entry of trustedProxies) {
    const [address = "", bits] = entry.split("/");
    if (bits === undefined) proxies.addAddress(address, familyOf(address));
    else proxies.addSubnet(address, Number(bits), familyOf(address));
  }
  const isProxy = (address: string) =>
    trustedProxies.length > 0 &&
    isIP(address) !== 0 &&
    proxies.check(address, familyOf(address));
  return {
    /** Whether an address is that of a trusted proxy. */
    isProxy,
    /** Address of the sender: the socket's, or what a trusted proxy says of the hop before it. */
    addressOf(message: IncomingMessage): string {
      const own = message.socket.remoteAddress ?? "";
      if (!isProxy(own)) return own;
      const forwarded = message.headers["x-forwarded-for"];
      const last = [forwarded].flat().join(",").split(",").at(-1)?.trim() ?? "";
      return isIP(last) ? last : own;
    },
  };
}

/** Whether an address of a socket is this machine. */
export function isLoopbackAddress(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127\./.test(address);
}

/** Whether a text is an address or a network that {@link createPeers} takes. */
export function isAddressOrNetwork(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  if (isIP(address) === 0 || rest.length > 0) return false;
  if (bits === undefined) return true;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (isIPv6(address) ? 128 : 32);
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv6(address) ? "ipv6" : "ipv4";
}
