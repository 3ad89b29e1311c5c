import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import type { ConnectAddress } from "@gantry/plugin";

/** Addresses that no outbound request may reach: link-local ones and those of cloud metadata services. */
const METADATA = createBlockList([
  ["100.100.100.200", 32],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["192.0.0.192", 32],
  ["fe80::", 10],
  ["fd00:ec2::254", 128],
  ["fd20:ce::254", 128],
]);
/** Addresses of private networks. */
const PRIVATE = createBlockList([
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["fc00::", 7],
  ["fec0::", 10],
]);
/** Ranges that are not for public servers: documentation, benchmarks, multicast, tunnels, future use. */
const RESERVED = createBlockList([
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
  ["100::", 64],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["ff00::", 8],
]);
/** Addresses of the machine itself. */
const LOOPBACK = createBlockList([
  ["0.0.0.0", 8],
  ["127.0.0.0", 8],
  ["::", 128],
  ["::1", 128],
]);

function createBlockList(
  ranges: readonly (readonly [string, number])[],
): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of ranges)
    list.addSubnet(address, prefix, familyOf(address));
  return list;
}

/** What is refused besides metadata. */
export interface AddressRules {
  /** Allows addresses of private networks and of this machine. */
  allowPrivate: boolean;
  /** Refuses this machine itself. */
  refuseHere?: boolean;
}

/**
 * Why an address must not be called, `undefined` if it may. Compares numbers, so that no alternative spelling gets
 * through.
 */
export function refusalOf(
  address: string,
  { allowPrivate, refuseHere = false }: AddressRules,
): string | undefined {
  if (isIP(address) === 0) return "it has no address";
  for (const each of formsOf(address)) {
    const isIn = (list: BlockList) => list.check(each, familyOf(each));
    if (isIn(METADATA)) return "its address is link-local or for metadata";
    if (refuseHere && (isIn(LOOPBACK) || isOwnAddress(each)))
      return "it is the daemon itself";
    if (!allowPrivate && (isIn(LOOPBACK) || isIn(PRIVATE)))
      return "its address is private";
  }
  return undefined;
}

/** Where an address leads. All addresses of this machine are `loopback`, including those in its networks. */
export function kindOf(address: string): ConnectAddress["kind"] {
  const forms = formsOf(address);
  const isIn = (list: BlockList) =>
    forms.some((each) => list.check(each, familyOf(each)));
  if (isIn(LOOPBACK) || forms.some(isOwnAddress)) return "loopback";
  return isIn(PRIVATE) || isIn(RESERVED) ? "private" : "public";
}

/** An address without its zone, and the IPv4 address that it embeds, if any. */
function formsOf(address: string): string[] {
  const plain = address.replace(/%.*$/, "");
  return [plain, ...embeddedIPv4(plain)];
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

function isOwnAddress(address: string): boolean {
  const own = new BlockList();
  for (const each of Object.values(networkInterfaces()).flat())
    if (each) own.addAddress(each.address, familyOf(each.address));
  return own.check(address, familyOf(address));
}

/** IPv6 ranges that embed an IPv4 address, and the index of the 16-bit word at which it begins. */
const TRANSLATED: readonly (readonly [prefix: string, word: number])[] = [
  ["0:0:0:0:0:ffff:", 6],
  ["0:0:0:0:0:0:", 6],
  ["64:ff9b:0:0:0:0:", 6],
  ["64:ff9b:1:", 6],
  ["2002:", 1],
];

/** The IPv4 address that an IPv6 address embeds, if any. */
function embeddedIPv4(address: string): string[] {
  if (isIP(address) !== 6) return [];
  const words = toWords(address);
  const text = words.map((word) => word.toString(16)).join(":");
  const found = TRANSLATED.find(([prefix]) => text.startsWith(prefix));
  if (!found) return [];
  const [high = 0, low = 0] = words.slice(found[1]);
  return [[high >> 8, high & 255, low >> 8, low & 255].join(".")];
}

/** The eight 16-bit words of an IPv6 address in any notation. */
function toWords(address: string): number[] {
  const plain = address.replace(
    /(\d+)\.(\d+)\.(\d+)\.(\d+)$/,
    (_, ...bytes: string[]) => {
      const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
      return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
    },
  );
  const [before = [], after] = plain
    .split("::")
    .map((half) => half.split(":").filter(Boolean));
  const missing = after ? 8 - before.length - after.length : 0;
  return [...before, ...Array<string>(missing).fill("0"), ...(after ?? [])].map(
    (word) => Number.parseInt(word, 16),
  );
}
