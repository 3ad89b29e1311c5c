import { runs } from "@gantry/build/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ConnectAddress } from "@gantry/plugin";
import { createOutboundConnect } from "@gantry/system/outbound/outbound-connect";

type Kind = ConnectAddress["kind"] | "refused";
type Bytes = [number, number, number, number];

const connect = createOutboundConnect({ ownPorts: () => [], ownNames: [] });

/** How `connect` classifies a host. Nothing is dialled. */
async function kindOfHost(host: string): Promise<Kind> {
  let kind: Kind = "refused";
  const judge = ([first]: readonly ConnectAddress[]) => {
    kind = first?.kind ?? "refused";
    return "it is only looked at";
  };
  await expect(connect({ host, port: 80, judge })).rejects.toMatchObject({
    code: "OUTBOUND_REFUSED",
  });
  return kind;
}

/** Cloud metadata addresses that are not link-local. */
const METADATA = ["100.100.100.200", "168.63.129.16", "192.0.0.192"];

/** The same classification, by the RFCs. */
function kindOfBytes([a, b, c, d]: Bytes): Kind {
  if (a === 169 && b === 254) return "refused";
  if (METADATA.includes([a, b, c, d].join("."))) return "refused";
  if (a === 0 || a === 127) return "loopback";
  const isPrivate =
    a === 10 ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && b === 168) ||
    (a === 100 && b >= 64 && b < 128);
  const isReserved =
    a >= 224 ||
    (a === 192 && b === 0 && (c === 0 || c === 2)) ||
    (a === 192 && b === 88 && c === 99) ||
    (a === 198 && (b === 18 || b === 19 || (b === 51 && c === 100))) ||
    (a === 203 && b === 0 && c === 113);
  return isPrivate || isReserved ? "private" : "public";
}

const hex = (value: number) => value.toString(16);
const octal = (value: number) => `0${value.toString(8)}`;

/** All ways to write an IPv4 address. */
function spellingsOf([a, b, c, d]: Bytes): string[] {
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const high = hex(a * 256 + b);
  const low = hex(c * 256 + d);
  const dotted = [a, b, c, d].join(".");
  return [
    dotted,
    `${dotted}.`,
    String(number),
    `0x${hex(number)}`,
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    [a, b, c, d].map(octal).join("."),
    [a, b, c, d].map((value) => `0x${hex(value)}`).join("."),
    `::ffff:${dotted}`,
    `[::ffff:${high}:${low}]`,
    `0:0:0:0:0:FFFF:${high}:${low}`,
    `64:ff9b::${high}:${low}`,
    `64:ff9b::${dotted}`,
    `64:ff9b:1::${high}:${low}`,
    `2002:${high}:${low}::1`,
    `2002:${high}:${low}:0:0:0:0:1`,
  ];
}

/** Random addresses, and addresses at the edges of the ranges. */
const byte = fc.integer({ min: 0, max: 255 });
const edge = fc.constantFrom<Bytes>(
  [0, 0, 0, 0],
  [9, 255, 255, 255],
  [10, 0, 0, 0],
  [100, 63, 255, 255],
  [100, 100, 100, 200],
  [100, 128, 0, 0],
  [126, 255, 255, 255],
  [127, 0, 0, 1],
  [168, 63, 129, 16],
  [169, 254, 169, 254],
  [172, 15, 255, 255],
  [172, 31, 255, 255],
  [172, 32, 0, 0],
  [192, 0, 0, 192],
  [192, 167, 255, 255],
  [192, 168, 0, 0],
  [198, 17, 255, 255],
  [198, 20, 0, 0],
  [223, 255, 255, 255],
  [224, 0, 0, 1],
  [255, 255, 255, 255],
);
const address = fc.oneof(fc.tuple(byte, byte, byte, byte), edge);

test("an IPv4 address is the same in every notation", async () => {
  await fc.assert(
    fc.asyncProperty(address, async (bytes) => {
      const expected = kindOfBytes(bytes);
      for (const spelling of spellingsOf(bytes))
        expect(await kindOfHost(spelling), spelling).toBe(expected);
    }),
    { numRuns: runs(60) },
  );
});

test.each([
  ["::1", "loopback"],
  ["::", "loopback"],
  ["::1%lo", "loopback"],
  ["fe80::1", "refused"],
  ["fe80::1%eth0", "refused"],
  ["fd00:ec2::254", "refused"],
  ["fd12:3456::1", "private"],
  ["fec0::1", "private"],
  ["ff02::1", "private"],
  ["2001:db8::1", "private"],
  ["2001:0:7f00:1::", "private"],
  ["2606:4700:4700::1111", "public"],
  ["2606:4700:4700::1111%1", "public"],
] as const)("%s is %s", async (host, kind) => {
  expect(await kindOfHost(host)).toBe(kind);
});
