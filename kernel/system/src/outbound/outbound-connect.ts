import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import type { ConnectAddress, ConnectOptions } from "@gantry/plugin";
import {
  ADDRESS_CHOICE,
  findAddresses,
  kindOf,
  refuse,
} from "./address-guard.ts";
import type { OutboundRules } from "./address-guard.ts";

/** Timeout for the lookup of the name and the connection. */
const MAX_CONNECT_MS = 10_000;
const MAX_PORT = 65_535;

/** Opens one connection; `connect` of the plugin context. */
export type OutboundConnect = (options: ConnectOptions) => Promise<Socket>;

/**
 * Creates the guarded `connect`. A name is looked up once, all its addresses are judged, and exactly these are dialled.
 *
 * @throws `OUTBOUND_REFUSED` for a refused target; otherwise the network error
 */
export function createOutboundConnect(
  rules: Omit<OutboundRules, "allowPrivate">,
): OutboundConnect {
  return async ({ host, port, judge, signal: given }) => {
    if (!Number.isInteger(port) || port < 1 || port > MAX_PORT)
      refuse(`${port} is no port`);
    const limit = AbortSignal.timeout(MAX_CONNECT_MS);
    const signal = given ? AbortSignal.any([given, limit]) : limit;
    const found = await findAddresses(
      { host, port },
      { ...rules, allowPrivate: true },
      signal,
    );
    const reason = judge?.(found.map(toConnectAddress));
    if (typeof reason === "string") refuse(reason);
    return await dial(found, port, signal);
  };
}

function toConnectAddress({ address, family }: LookupAddress): ConnectAddress {
  return { address, family: family === 6 ? 6 : 4, kind: kindOf(address) };
}

/** Connects to the first of these addresses that accepts. */
async function dial(
  addresses: LookupAddress[],
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  signal.throwIfAborted();
  const socket = connect({
    // The address instead of the name, so that it is not looked up again.
    host: "judged.invalid",
    lookup: (_name, _options, callback) => callback(null, addresses),
    ...ADDRESS_CHOICE,
    noDelay: true,
    port,
  });
  // Handles errors after the connection has failed or was aborted.
  socket.on("error", () => {});
  try {
    await once(socket, "connect", { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    signal.throwIfAborted();
    throw error;
  }
}
