import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startProbe } from "../support/probe.ts";

/** A server that sends back what it gets. */
async function startEcho(): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => {}).pipe(socket);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const closed = (socket: Socket) =>
  new Promise((resolve) => socket.once("close", resolve));

test("a connection of a plugin carries data, and ends with the plugin", async () => {
  const port = await startEcho();
  await using kernel = await startProbe();
  const socket = await kernel.ctx.connect({ host: "127.0.0.1", port });
  socket.write("hello");
  const [data] = (await once(socket, "data")) as [Buffer];
  expect(String(data)).toBe("hello");
  const end = closed(socket);
  const { connect } = kernel.ctx;
  await kernel.kernel.plugins.stop("probe");
  await end;
  expect(() => connect({ host: "127.0.0.1", port })).toThrow(
    expect.objectContaining({ code: "PLUGIN_STOPPED" }) as Error,
  );
});

test("a test gives names their addresses, which are looked up once and judged", async () => {
  const port = await startEcho();
  await using kernel = await startProbe();
  kernel.names.set("site.test", ["127.0.0.1"]);
  const socket = await kernel.ctx.connect({
    host: "SITE.test.",
    port,
    judge(addresses) {
      kernel.names.set("site.test", ["169.254.169.254"]);
      return addresses[0]?.kind === "loopback" ? null : "it is elsewhere";
    },
  });
  expect(socket.remoteAddress).toBe("127.0.0.1");
  await expect(
    kernel.ctx.connect({ host: "site.test", port }),
  ).rejects.toMatchObject({ code: "OUTBOUND_REFUSED" });
});

test("a connection that is being made ends when its plugin stops", async () => {
  const port = await startEcho();
  await using kernel = await startProbe();
  let stopped: Promise<unknown> = Promise.resolve();
  const given = kernel.ctx.connect({
    host: "127.0.0.1",
    port,
    judge() {
      stopped = kernel.kernel.plugins.stop("probe");
      return null;
    },
  });
  await expect(given).rejects.toMatchObject({ code: "PLUGIN_STOPPED" });
  await stopped;
});

test("a connection that breaks is no fault", async () => {
  const server = createServer((socket) => {
    socket.once("data", () => socket.resetAndDestroy());
  });
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await using kernel = await startProbe();
  const socket = await kernel.ctx.connect({ host: "127.0.0.1", port });
  const end = closed(socket);
  socket.resume().write("x");
  await end;
});

test("the daemon never connects to itself, at its port or by its names", async () => {
  await using kernel = await startProbe(
    {},
    {
      config: {
        publicUrl: "https://gantry.example.org",
        hosts: ["box.example.org:8443"],
      },
    },
  );
  const port = Number(new URL(kernel.url).port);
  const targets: [string, number][] = [
    ...["127.0.0.1", "localhost", "::1", "0", "2130706433"].map(
      (host): [string, number] => [host, port],
    ),
    ...["gantry.example.org", "box.example.org", "gantry.localhost"].map(
      (host): [string, number] => [host, 443],
    ),
  ];
  for (const [host, at] of targets)
    await expect(
      kernel.ctx.connect({ host, port: at, judge: () => null }),
      host,
    ).rejects.toMatchObject({
      code: "OUTBOUND_REFUSED",
      message: expect.stringContaining("the daemon itself") as string,
    });
});
