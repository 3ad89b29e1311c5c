import fc from "fast-check";
import { expect, test } from "vitest";
import { createPeers, isAddressOrNetwork } from "@gantry/http/peer-address";
import { startGated } from "../support/gated-kernel.ts";

type Message = Parameters<ReturnType<typeof createPeers>["addressOf"]>[0];

const from = (address: string | undefined, forwarded?: string | string[]) =>
  ({
    socket: { remoteAddress: address },
    headers: { "x-forwarded-for": forwarded },
  }) as unknown as Message;

test.each([
  ["10.1.2.3", "8.8.8.8", "8.8.8.8"],
  ["10.1.2.3", "1.1.1.1, 8.8.8.8", "8.8.8.8"],
  ["10.1.2.3", "1.1.1.1,8.8.8.8 ", "8.8.8.8"],
  ["::ffff:10.1.2.3", "2001:db8::1", "2001:db8::1"],
  ["fd00::7", "8.8.8.8", "8.8.8.8"],
  ["127.0.0.1", "8.8.8.8", "8.8.8.8"],
  ["10.1.2.3", undefined, "10.1.2.3"],
  ["10.1.2.3", "", "10.1.2.3"],
  ["10.1.2.3", "8.8.8.8, unknown", "10.1.2.3"],
  ["10.1.2.3", "8.8.8.8:80", "10.1.2.3"],
  ["127.0.0.2", "8.8.8.8", "127.0.0.2"],
  ["11.0.0.1", "8.8.8.8", "11.0.0.1"],
  [undefined, "8.8.8.8", ""],
])("from %s with %j it is %s", (address, forwarded, expected) => {
  const peers = createPeers(["127.0.0.1", "10.0.0.0/8", "fd00::/8"]);
  expect(peers.addressOf(from(address, forwarded))).toBe(expected);
});

test("no header is believed unless a proxy is trusted", () => {
  const peers = createPeers([]);
  const said = fc.oneof(fc.ipV4(), fc.string());
  fc.assert(
    fc.property(fc.ipV4(), said, (address, forwarded) => {
      expect(peers.addressOf(from(address, forwarded))).toBe(address);
      expect(peers.isProxy(address)).toBe(false);
    }),
  );
});

test.each([
  ["127.0.0.1", true],
  ["::1", true],
  ["10.0.0.0/8", true],
  ["fd00::/128", true],
  ["10.0.0.0/33", false],
  ["fd00::/129", false],
  ["10.0.0.0/", false],
  ["10.0.0.0/8/8", false],
  ["10.0.0.0/-1", false],
  ["localhost", false],
  ["10.0.0", false],
  ["", false],
])("%j may be listed: %s", (text, may) => {
  expect(isAddressOrNetwork(text)).toBe(may);
  if (may) expect(() => createPeers([text])).not.toThrow();
});

test.each([
  { trustedProxies: ["127.0.0.1"], address: "203.0.113.9" },
  { trustedProxies: ["203.0.113.9"], address: "127.0.0.1" },
])(
  "who paired through a proxy is listed with $address where $trustedProxies are trusted",
  async ({ trustedProxies, address }) => {
    await using kernel = await startGated({ config: { trustedProxies } });
    const { code } = kernel.kernel.pair();
    const body = JSON.stringify({ code, device: "Phone" });
    const answer = await kernel.send({
      method: "POST",
      target: "/pair",
      headers: [
        ["content-type", "application/json"],
        ["content-length", String(body.length)],
        ["connection", "close"],
        ["x-forwarded-for", "127.0.0.1, 203.0.113.9"],
      ],
      body,
    });
    expect(answer.status).toBe(200);
    const listed = await kernel.api.get<{
      items: { device: string; address: string }[];
    }>("/api/auth/sessions");
    const phone = listed.body.items.find(({ device }) => device === "Phone");
    expect(phone?.address).toBe(address);
  },
);
