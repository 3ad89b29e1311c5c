import { lookup } from "node:dns";
import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import { connect, isIP } from "node:net";
import type { Socket } from "node:net";
import type { ConnectAddress, ConnectOptions } from "@gantry/plugin";
import { errors } from "../errors.ts";
import { within } from "../shutdown/deadline.ts";
import { kindOf, refusalOf } from "./address-guard.ts";
import { isMetadataName } from "./metadata-names.ts";

/** Timeout for the lookup of the name and the connection. */
const MAX_CONNECT_MS = 10_000;
/**
 * How connections choose between several addresses. When the time is over Node gives one up for the next, and its own 250 ms are
 * too few on a busy machine: a server on 127.0.0.1 was not reached, since nothing listens on ::1.
 */
export const ADDRESS_CHOICE = {
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: 2_500,
} as const;
const MAX_PORT = 65_535;
/** Characters of host names, and of addresses in all their spellings. */
const HOST = /^[\w.:%-]{1,253}$/;
const LOCALHOST = /(^|\.)localhost$/i;
/** The fixed addresses of localhost names (RFC 6761), whatever a name server returns. */
const LOCALHOST_ADDRESSES: readonly LookupAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/** Opens one connection; `connect` of the plugin context. */
export type OutboundConnect = (options: ConnectOptions) => Promise<Socket>;

/** Dependencies of {@link createOutboundConnect}. */
export interface OutboundConnectHost {
  /** Ports that the daemon itself listens on. */
  ownPorts(): readonly number[];
  /** Host names that only this daemon answers to, in lower case. */
  ownNames: readonly string[];
  /** Addresses of names that are not looked up, for tests. */
  resolveName?: ResolveName;
}

/** Returns the addresses of a name, `undefined` to look it up. */
export type ResolveName = (name: string) => readonly string[] | undefined;

/**
 * Creates the guarded `connect`. A name is looked up once, all its addresses are judged, and exactly these are dialled,
 * which prevents DNS rebinding.
 *
 * @throws `OUTBOUND_REFUSED` for a refused target; otherwise the network error
 */
export function createOutboundConnect(
  host: OutboundConnectHost,
): OutboundConnect {
  return async (options) => {
    const name = parseHost(options.host);
    const { port, judge } = options;
    if (!Number.isInteger(port) || port < 1 || port > MAX_PORT)
      refuse(`${port} is no port`);
    if (isMetadataName(name)) refuse("its name is one for metadata");
    if (host.ownNames.includes(name.toLowerCase()))
      refuse("it is the daemon itself");
    const limit = AbortSignal.timeout(MAX_CONNECT_MS);
    const signal = options.signal
      ? AbortSignal.any([options.signal, limit])
      : limit;
    const found = await within(findAddresses(name, host.resolveName), {
      signal,
    });
    if (found.length === 0) refuse("it has no address");
    const rules = {
      allowPrivate: true,
      refuseHere: host.ownPorts().includes(port),
    };
    for (const { address } of found) {
      const reason = refusalOf(address, rules);
      if (reason !== undefined) refuse(reason);
    }
    const reason = judge?.(found.map(toConnectAddress));
    if (typeof reason === "string") refuse(reason);
    return await dial(found, port, signal);
  };
}

/** The host without brackets and the trailing dot. */
function parseHost(text: string): string {
  const host = text.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  if (!HOST.test(host)) refuse("it has no address");
  return host;
}

async function findAddresses(
  name: string,
  resolveName: ResolveName | undefined,
): Promise<LookupAddress[]> {
  if (isIP(name) !== 0) return [toLookupAddress(name)];
  if (LOCALHOST.test(name)) return [...LOCALHOST_ADDRESSES];
  const given = resolveName?.(name);
  if (given) return given.map(toLookupAddress);
  return await new Promise((resolve, reject) => {
    lookup(name, { all: true }, (fault, addresses) => {
      if (fault) reject(fault);
      else resolve(addresses);
    });
  });
}

function toLookupAddress(address: string): LookupAddress {
  return { address, family: isIP(address) };
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

function refuse(reason: string): never {
  throw errors.OUTBOUND_REFUSED({ reason });
}
