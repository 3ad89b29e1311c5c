import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { openPorts } from "@gantry/http/open-ports";
import { homePaths } from "@gantry/system/home/home";
import { temporaryFolder } from "@gantry/build/testing";
import { expect, onTestFinished, test } from "vitest";
import { createRecordingLog } from "../../../store/test/support/store.ts";

const SETTINGS = {
  host: "127.0.0.1",
  port: 0,
  portIsGiven: false,
  https: false,
  insecure: false,
};

/** Resolves when `count` requests have come to this process. */
function requestsCome(count: number): Promise<void> {
  const channel = "http.server.request.start";
  return new Promise((resolve) => {
    const note = () => {
      if (--count > 0) return;
      unsubscribe(channel, note);
      resolve();
    };
    subscribe(channel, note);
  });
}

test("the start continues once those that were held back have their answers; the others stay held back", async () => {
  const home = homePaths(await temporaryFolder());
  const ports = await openPorts(
    SETTINGS,
    home,
    () => false,
    createRecordingLog(),
  );
  onTestFinished(() => ports.close());
  const order: string[] = [];
  const mayAnswer = Promise.withResolvers<void>();
  const handlers = {
    async request({ url = "" }, response) {
      if (url === "/page") await mayAnswer.promise;
      order.push(url);
      response.end();
    },
    upgrade() {},
  } satisfies Parameters<typeof ports.serve>[0];
  const come = requestsCome(2);
  const asked = ["/page", "/api"].map((path) =>
    fetch(`http://127.0.0.1:${ports.port}${path}`),
  );
  await come;
  const served = ports
    .serve(handlers, (path) => path === "/api")
    .then(() => order.push("continues"));
  mayAnswer.resolve();
  await served;
  expect(order).toEqual(["/page", "continues"]);
  await ports.serve(handlers);
  await Promise.all(asked);
  expect(order).toEqual(["/page", "continues", "/api"]);
});
