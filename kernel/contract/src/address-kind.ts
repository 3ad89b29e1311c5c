import { BlockList, isIP } from "node:net";

/**
 * Where an address leads:
 * - `loopback`: this machine, by an address that always means it
 * - `private`: a private network, which may also be that of this machine
 * - `metadata`: link-local, or a metadata service of a cloud provider
 * - `reserved`: documentation, benchmarks, multicast, tunnels, future use
 * - `public`: anything else
 */
export type AddressKind =
  "public" | "private" | "loopback" | "metadata" | "reserved";

const RANGES: readonly (readonly [AddressKind, BlockList])[] = [
  [
    "metadata",
    createBlockList([
      ["100.100.100.200", 32],
      ["168.63.129.16", 32],
      ["169.254.0.0", 16],
      ["192.0.0.192", 32],
      ["fe80::", 10],
      ["fd00:ec2::254", 128],
      ["fd20:ce::254", 128],
    ]),
  ],
  [
    "loopback",
    createBlockList([
      ["0.0.0.0", 8],
      ["127.0.0.0", 8],
      ["::", 128],
      ["::1", 128],
    ]),
  ],
  [
    "private",
    createBlockList([
      ["10.0.0.0", 8],
      ["100.64.0.0", 10],
      ["172.16.0.0", 12],
      ["192.168.0.0", 16],
      ["fc00::", 7],
      ["fec0::", 10],
    ]),
  ],
  [
    "reserved",
    createBlockList([
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
    ]),
  ],
];

/**
 * Classifies an IP address by its number, so that no alternative spelling gets through. An IPv6 address that embeds an
 * IPv4 address is what either of them is. A zone such as `%eth0` is ignored.
 *
 * @param ownAddresses Addresses of this machine in its networks, which are `loopback` as well
 * @returns `undefined` for text that is no address, such as a name or an address in brackets
 */
export function toAddressKind(
  address: string,
  ownAddresses: readonly string[] = [],
): AddressKind | undefined {
  const plain = address.replace(/%.*$/, "");
  if (isIP(plain) === 0) return undefined;
  const forms = [plain, ...embeddedIPv4(plain)];
  const isIn = (list: BlockList) =>
    forms.some((form) => list.check(form, familyOf(form)));
  const kind = RANGES.find(([, list]) => isIn(list))?.[0] ?? "public";
  return kind !== "metadata" && isIn(toAddressList(ownAddresses))
    ? "loopback"
    : kind;
}

function toAddressList(addresses: readonly string[]): BlockList {
  const list = new BlockList();
  for (const each of addresses) list.addAddress(each, familyOf(each));
  return list;
}

function createBlockList(
  ranges: readonly (readonly [string, number])[],
): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of ranges)
    list.addSubnet(address, prefix, familyOf(address));
  return list;
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
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
  // The URL parser writes the short form without a dotted part.
  const short = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [before = [], after] = short
    .split("::")
    .map((half) => half.split(":").filter(Boolean));
  const missing = after ? 8 - before.length - after.length : 0;
  return [...before, ...Array<string>(missing).fill("0"), ...(after ?? [])].map(
    (word) => Number.parseInt(word, 16),
  );
}
