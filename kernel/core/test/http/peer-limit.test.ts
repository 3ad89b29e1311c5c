import { once } from "node:events";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { patience } from "@gantry/build/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { startTestKernel } from "../../../testing/src/index.ts";

/** An address of this machine under which it is as another one to itself. */
const [outer] = Object.values(networkInterfaces())
  .flat()
  .flatMap((each) =>
    each && !each.internal && each.family === "IPv4" ? each.address : [],
  );

async function open(port: number, host: string) {
  const socket = connect(port, host);
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

const openMany = (port: number, host: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => open(port, host)));

test.skipIf(!outer)(
  "connections from another machine are limited, those from this one are not",
  async () => {
    await using kernel = await startTestKernel([], {
      config: { host: "0.0.0.0", insecure: true },
    });
    const { port } = kernel.kernel;
    const sockets = await openMany(port, outer!, 150);
    const isOpen = () => sockets.filter(({ closed }) => !closed).length;
    await vi.waitFor(() => expect(isOpen()).toBe(128));
    const own = await openMany(port, "127.0.0.1", 150);
    own.at(-1)!.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const [answer] = (await once(own.at(-1)!, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 403/);
    expect(own.filter(({ closed }) => closed)).toEqual([]);
    for (const socket of sockets) socket.destroy();
    await vi.waitFor(async () => {
      const again = await open(port, outer!);
      again.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await once(again, "data", {
        signal: AbortSignal.timeout(200 * patience),
      });
    });
  },
);
