import { lookup } from "node:dns";
import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { toAddressKind } from "@gantry/plugin";
import type { ConnectAddress } from "@gantry/plugin";
import { errors } from "../errors.ts";
import { within } from "../shutdown/deadline.ts";

/**
 * How connections choose between several addresses. When the time is over Node gives one up for the next, and its own 250 ms are
 * too few on a busy machine: a server on 127.0.0.1 was not reached, since nothing listens on ::1.
 */
export const ADDRESS_CHOICE = {
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: 2_500,
} as const;
/** Characters of host names, and of addresses in all their spellings. */
const HOST = /^[\w.:%-]{1,253}$/;
/** Host names of cloud metadata services. */
const METADATA_NAMES: readonly string[] = [
  "instance-data",
  "instance-data.ec2.internal",
  "metadata.goog",
  "metadata.google.internal",
  "metadata.tencentyun.com",
];
const LOCALHOST = /(^|\.)localhost$/;
/** The fixed addresses of localhost names (RFC 6761), whatever a name server returns. */
const LOCALHOST_ADDRESSES = ["127.0.0.1", "::1"];

/** Returns the addresses of a name, `undefined` to look it up. */
export type ResolveName = (name: string) => readonly string[] | undefined;

/** What must not be called. */
export interface OutboundRules {
  /** Allows addresses of private networks and of this machine. */
  allowPrivate: boolean;
  /** Ports that the daemon itself listens on; it never calls itself. */
  ownPorts(): readonly number[];
  /** Host names that only this daemon answers to, in lower case. */
  ownNames?: readonly string[];
  /** Addresses of names that are not looked up, for tests. */
  resolveName?: ResolveName;
}

/**
 * Finds the addresses of a host, once. A caller that connects to exactly these is safe from a name that changes its
 * addresses (DNS rebinding).
 *
 * @throws `OUTBOUND_REFUSED` if one of them must not be called
 */
export async function findAddresses(
  { host, port }: { host: string; port: number },
  { allowPrivate, ownPorts, ownNames, resolveName }: OutboundRules,
  signal: AbortSignal,
): Promise<LookupAddress[]> {
  const name = host.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  const lower = name.toLowerCase();
  if (!HOST.test(name)) refuse("it has no address");
  if (METADATA_NAMES.includes(lower)) refuse("its name is one for metadata");
  if (ownNames?.includes(lower)) refuse("it is the daemon itself");
  const given =
    isIP(name) !== 0
      ? [name]
      : LOCALHOST.test(lower)
        ? LOCALHOST_ADDRESSES
        : resolveName?.(name);
  const found =
    given?.map((address) => ({ address, family: isIP(address) })) ??
    (await within(lookUp(name), { signal }));
  if (found.length === 0) refuse("it has no address");
  const rules = { allowPrivate, refuseHere: ownPorts().includes(port) };
  for (const { address } of found) {
    const reason = refusalOf(address, rules);
    if (reason !== undefined) refuse(reason);
  }
  return found;
}

function lookUp(name: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(name, { all: true }, (fault, addresses) => {
      if (fault) reject(fault);
      else resolve(addresses);
    });
  });
}

export function refuse(reason: string): never {
  throw errors.OUTBOUND_REFUSED({ reason });
}

/** What is refused besides metadata. */
export interface AddressRules {
  /** Allows addresses of private networks and of this machine. */
  allowPrivate: boolean;
  /** Refuses this machine itself. */
  refuseHere?: boolean;
}

/** Why an address must not be called, `undefined` if it may. */
export function refusalOf(
  address: string,
  { allowPrivate, refuseHere = false }: AddressRules,
): string | undefined {
  const kind = toAddressKind(address);
  if (kind === undefined) return "it has no address";
  if (kind === "metadata") return "its address is link-local or for metadata";
  if (refuseHere && kindOf(address) === "loopback")
    return "it is the daemon itself";
  if (!allowPrivate && (kind === "loopback" || kind === "private"))
    return "its address is private";
  return undefined;
}

/**
 * Where an address that is not refused leads. All addresses of this machine are `loopback`, including those in its
 * networks.
 */
export function kindOf(address: string): ConnectAddress["kind"] {
  const own = Object.values(networkInterfaces())
    .flat()
    .flatMap((each) => each?.address ?? []);
  const kind = toAddressKind(address, own);
  return kind === "loopback" || kind === "public" ? kind : "private";
}
