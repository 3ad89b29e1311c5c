import { expect, test } from "vitest";
import { startProbe } from "../support/probe.ts";
import { openSocket } from "../support/web-socket.ts";

async function start() {
  const kernel = await startProbe({
    setup: (ctx) =>
      void ctx.socket({
        path: "/api/probe/socket",
        summary: "Made for a test",
        access: "session",
      }),
  });
  const openAs = (cookie: string) =>
    openSocket(`${kernel.url}/api/probe/socket`, {
      cookie,
      origin: kernel.url,
    });
  const openMany = (cookie: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => openAs(cookie)));
  return Object.assign(kernel, { openAs, openMany });
}

test("each session has its own limit of sockets", async () => {
  await using kernel = await start();
  const one = await kernel.pairAs("One");
  const other = await kernel.pairAs("Other");
  const [first] = await kernel.openMany(one.cookie, 64);
  await expect(kernel.openAs(one.cookie)).rejects.toThrow("refused");
  await kernel.openAs(other.cookie);
  first!.close();
  await first!.closed;
  await expect
    .poll(() =>
      kernel.openAs(one.cookie).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
});

test("all sessions together have an end too", async () => {
  await using kernel = await start();
  for (let session = 0; session < 4; session++)
    await kernel.openMany((await kernel.pairAs("One")).cookie, 64);
  const { cookie } = await kernel.pairAs("Late");
  await expect(kernel.openAs(cookie)).rejects.toThrow("refused");
});

test("a refused handshake takes no place", async () => {
  await using kernel = await start();
  const { cookie } = await kernel.pairAs("One");
  for (let round = 0; round < 100; round++)
    await expect(kernel.openAs("gantry_session=no")).rejects.toThrow();
  await kernel.openMany(cookie, 64);
});
