import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ConnectAddress } from "@gantry/plugin";
import { createOutboundConnect } from "@gantry/system/outbound/outbound-connect";
import type { ResolveName } from "@gantry/system/outbound/address-guard";

const OWN_PORT = 7420;
/** Twice what Node gives one of several addresses by itself. */
const BUSY_MS = 500;
/** Lists of addresses for names: each lookup takes the next one, and the last one stays. */
const names = new Map<string, string[][]>();
const resolveName = vi.fn<ResolveName>((name) => {
  const lists = names.get(name);
  return lists && lists.length > 1 ? lists.shift() : lists?.[0];
});
const connect = createOutboundConnect({
  ownPorts: () => [OWN_PORT],
  resolveName,
  ownNames: ["gantry.localhost", "gantry.example.org"],
});

const refused = (reason: RegExp) =>
  expect.objectContaining({
    code: "OUTBOUND_REFUSED",
    message: expect.stringMatching(reason) as string,
  }) as Error;

/** A server that answers each connection with its own address. */
async function serve(address = "127.0.0.1"): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => {}).end(address);
  }).listen(0, address);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

describe("what is dialled", () => {
  test("is exactly the judged address list, looked up once", async () => {
    const port = await serve();
    names.set("one.test", [["127.0.0.1"], ["169.254.169.254"]]);
    resolveName.mockClear();
    const judge = vi.fn<(addresses: readonly ConnectAddress[]) => null>(
      () => null,
    );
    const socket = await connect({ host: "one.test", port, judge });
    const [text] = (await once(socket, "data")) as [Buffer];
    expect(String(text)).toBe("127.0.0.1");
    expect(judge.mock.calls).toEqual([
      [[{ address: "127.0.0.1", family: 4, kind: "loopback" }]],
    ]);
    expect(resolveName).toHaveBeenCalledTimes(1);
  });

  test("is the next address if one does not answer", async () => {
    const port = await serve("127.0.0.2");
    names.set("two.test", [["127.0.0.3", "127.0.0.2"]]);
    const socket = await connect({ host: "two.test", port });
    expect(socket.remoteAddress).toBe("127.0.0.2");
    socket.destroy();
  });

  test("is the first address too when the daemon has no time for half a second", async () => {
    const port = await serve();
    const connecting = connect({ host: "localhost", port });
    setImmediate(() => {
      const end = performance.now() + BUSY_MS;
      while (performance.now() < end);
    });
    const socket = await connecting;
    expect(socket.remoteAddress).toBe("127.0.0.1");
    socket.destroy();
  });

  test("is this machine for localhost and the names below it, whatever a name server says", async () => {
    for (const host of ["localhost", "LOCALHOST.", "a.localhost"]) {
      names.set(host, [["192.0.2.1"]]);
      const judge = vi.fn<(addresses: readonly ConnectAddress[]) => string>(
        () => "it was seen",
      );
      await expect(connect({ host, port: 80, judge })).rejects.toEqual(
        refused(/seen/),
      );
      expect(judge.mock.calls[0]?.[0].map(({ kind }) => kind)).toEqual([
        "loopback",
        "loopback",
      ]);
    }
  });
});

describe("what is refused", () => {
  const own = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ address, internal }) => !internal && !/^fe80/i.test(address));

  test.each([
    "127.0.0.1",
    "127.1",
    "127.255.0.1",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "127.0.0.1.",
    "0.0.0.0",
    "0",
    "[::1]",
    "::1",
    "0:0:0:0:0:0:0:1",
    "::",
    "[::ffff:127.0.0.1]",
    "::ffff:7f00:1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "::1%lo",
    "localhost",
    "any.localhost",
    ...(own ? [own.address] : []),
  ])("is the daemon's own port at %s", async (host) => {
    const judge = vi.fn<() => null>(() => null);
    await expect(connect({ host, port: OWN_PORT, judge })).rejects.toEqual(
      refused(/the daemon itself/),
    );
    expect(judge).not.toHaveBeenCalled();
  });

  test("is the daemon's own port behind any name, also among other addresses", async () => {
    for (const addresses of [["127.0.0.1"], ["192.0.2.1", "::ffff:7f00:1"]]) {
      names.set("evil.test", [addresses]);
      await expect(
        connect({ host: "evil.test", port: OWN_PORT }),
      ).rejects.toEqual(refused(/the daemon itself/));
    }
  });

  test("is a name of the daemon, at any port", async () => {
    for (const host of [
      "gantry.example.org",
      "GANTRY.example.org.",
      "gantry.localhost",
    ])
      await expect(connect({ host, port: 8443 })).rejects.toEqual(
        refused(/the daemon itself/),
      );
  });

  test("is metadata, by address and by name, whatever the options", async () => {
    names.set("cloud.test", [["192.0.2.1", "169.254.169.254"]]);
    for (const host of [
      "169.254.169.254",
      "2852039166",
      "0xa9.0xfe.0xa9.0xfe",
      "[::ffff:a9fe:a9fe]",
      "fe80::1%eth0",
      "fd00:ec2::254",
      "metadata.google.internal.",
      "cloud.test",
    ])
      await expect(
        connect({ host, port: 80, judge: () => null }),
        host,
      ).rejects.toEqual(refused(/metadata/));
  });

  test("is an invalid name or port", async () => {
    for (const host of [
      "",
      ".",
      "a b",
      "a\0b",
      "a/b",
      "a@b",
      "x".repeat(254),
      "[",
      "é.test",
    ])
      await expect(connect({ host, port: 80 }), host).rejects.toEqual(
        refused(/no address/),
      );
    for (const port of [0, -1, 65_536, 1.5, Number.NaN])
      await expect(
        connect({ host: "127.0.0.1", port }),
        String(port),
      ).rejects.toEqual(refused(/no port/));
  });

  test("is a name without any address", async () => {
    names.set("empty.test", [[]]);
    await expect(connect({ host: "empty.test", port: 80 })).rejects.toEqual(
      refused(/no address/),
    );
  });
});

test("network errors are passed on unchanged", async () => {
  const port = await serve();
  await expect(connect({ host: "127.0.0.4", port })).rejects.toMatchObject({
    code: "ECONNREFUSED",
  });
  await expect(
    connect({ host: "no-such-name.invalid", port }),
  ).rejects.toMatchObject({ code: expect.stringMatching(/^E/) as string });
});

test("it stops when its caller aborts", async () => {
  const reason = new Error("Enough");
  await expect(
    connect({ host: "127.0.0.1", port: 80, signal: AbortSignal.abort(reason) }),
  ).rejects.toBe(reason);
  const abort = new AbortController();
  const given = connect({
    host: "127.0.0.1",
    port: 80,
    signal: abort.signal,
    judge() {
      abort.abort(reason);
      return null;
    },
  });
  await expect(given).rejects.toBe(reason);
});
