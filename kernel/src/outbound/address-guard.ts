import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";

/** Addresses that no outbound request may reach: link-local ones and those where clouds keep their credentials. */
const METADATA = createBlockList([
  ["100.100.100.200", 32],
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
/** Addresses under which every machine reaches itself. */
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

/** What is refused beside metadata. */
export interface AddressRules {
  /** Addresses of private networks may be called, and this machine. */
  allowPrivate: boolean;
  /** This machine itself must not be called. */
  refuseHere?: boolean;
}

/** Why an address must not be called, `undefined` if it may. Numeric, so no spelling of it gets by. */
export function refusalOf(
  address: string,
  { allowPrivate, refuseHere = false }: AddressRules,
): string | undefined {
  if (isIP(address) === 0) return "it has no address";
  const plain = address.replace(/%.*$/, "");
  for (const each of [plain, ...embeddedIPv4(plain)]) {
    const isIn = (list: BlockList) => list.check(each, familyOf(each));
    if (isIn(METADATA)) return "its address is link-local or for metadata";
    if (refuseHere && (isIn(LOOPBACK) || isOwnAddress(each)))
      return "it is the daemon itself";
    if (!allowPrivate && (isIn(LOOPBACK) || isIn(PRIVATE)))
      return "its address is private";
  }
  return undefined;
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

/** Ranges of IPv6 addresses that stand for an IPv4 one, and the word at which it begins in them. */
const TRANSLATED: readonly (readonly [prefix: string, word: number])[] = [
  ["0:0:0:0:0:ffff:", 6],
  ["0:0:0:0:0:0:", 6],
  ["64:ff9b:0:0:0:0:", 6],
  ["64:ff9b:1:", 6],
  ["2002:", 1],
];

/** The IPv4 address that an IPv6 one stands for, if it does. */
function embeddedIPv4(address: string): string[] {
  if (isIP(address) !== 6) return [];
  const words = toWords(address);
  const text = words.map((word) => word.toString(16)).join(":");
  const found = TRANSLATED.find(([prefix]) => text.startsWith(prefix));
  if (!found) return [];
  const [high = 0, low = 0] = words.slice(found[1]);
  return [[high >> 8, high & 255, low >> 8, low & 255].join(".")];
}

/** The eight words of an IPv6 address, however it is written. */
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
