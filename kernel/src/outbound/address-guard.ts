import { BlockList, isIP } from "node:net";

/** Addresses that no outbound request may reach: link-local ones, where clouds keep their credentials. */
const METADATA = createBlockList([
  ["169.254.0.0", 16],
  ["fe80::", 10],
  ["fd00:ec2::254", 128],
]);
/** Addresses of this machine and of private networks. */
const PRIVATE = createBlockList([
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["::", 128],
  ["::1", 128],
  ["fc00::", 7],
]);

function createBlockList(
  ranges: readonly (readonly [string, number])[],
): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of ranges)
    list.addSubnet(address, prefix, isIP(address) === 6 ? "ipv6" : "ipv4");
  return list;
}

/** Why an address must not be called, `undefined` if it may. Numeric, so no spelling of it gets by. */
export function refusalOf(
  address: string,
  { allowPrivate }: { allowPrivate: boolean },
): string | undefined {
  const embedded = embeddedIPv4(address);
  const plain = embedded ?? address;
  const family = isIP(plain) === 6 ? "ipv6" : "ipv4";
  if (isIP(plain) === 0) return "it has no address";
  if (METADATA.check(plain, family)) return "its address is link-local";
  if (!allowPrivate && PRIVATE.check(plain, family))
    return "its address is private";
  return undefined;
}

/** The IPv4 address inside a mapped (::ffff:0:0/96) or NAT64 (64:ff9b::/96) IPv6 address. */
function embeddedIPv4(address: string): string | undefined {
  const match = /^(?:::ffff:|64:ff9b::)(.+)$/i.exec(address);
  const tail = match?.[1];
  if (tail === undefined) return undefined;
  if (isIP(tail) === 4) return tail;
  const words = tail.split(":").map((word) => Number.parseInt(word, 16));
  if (words.length > 2 || words.some((word) => !(word >= 0 && word <= 0xffff)))
    return undefined;
  const [high = 0, low = 0] = words.length === 2 ? words : [0, words[0]];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
