import type { ServerResponse } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { NotifyFailed } from "../src/contract.ts";
import { startReceiver } from "./support/receivers.ts";
import { startBench } from "./support/start.ts";

test("a target that takes such messages under /slack gets them at just that address", async () => {
  await using bench = await startBench();
  await using target = await startReceiver();
  const path = "/api/webhooks/17/c2VjcmV0/slack?thread_id=2";
  bench.agents.answer = () => ({ message: "All is well." });
  const { id } = await bench.create({
    notifyUrl: new URL(path, target.url).href,
  });
  await bench.runNow(id);
  const got = await target.got(1);
  expect(got).toMatchObject({ method: "POST", path });
  expect(JSON.parse(got.text)).toMatchObject({
    text: expect.stringContaining("All is well.") as string,
    blocks: [{ type: "section" }, { type: "section" }],
  });
});

test.each([
  ["is not there", "ECONNREFUSED", () => undefined],
  ["speaks no TLS", "EPROTO", () => undefined],
  [
    "breaks off in the middle of its answer",
    "ECONNRESET",
    (response: ServerResponse) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("half", () => response.destroy());
    },
  ],
])(
  "a notification whose target %s is tried twice, 5 s apart, and is an event",
  async (what, code, answer) => {
    await using bench = await startBench();
    const target = await startReceiver(answer);
    if (code === "ECONNREFUSED") await target[Symbol.asyncDispose]();
    const notifyUrl =
      code === "EPROTO" ? target.url.replace("http:", "https:") : target.url;
    bench.agents.answer = () => ({});
    const { id } = await bench.create({ notifyUrl });
    const before = bench.kernel.clock.pending;
    await bench.runNow(id);
    await bench.ended(id, 1);
    while (bench.kernel.clock.pending <= before) await turn();
    await bench.kernel.clock.advance(4_999);
    expect(bench.kernel.events.all(NotifyFailed), what).toEqual([]);
    await bench.kernel.clock.advance(1);
    const { events } = bench.kernel;
    const failed =
      events.all(NotifyFailed)[0] ?? (await events.next(NotifyFailed));
    expect(failed.data).toMatchObject({
      tries: 2,
      code: expect.stringMatching(code) as string,
    });
    expect((await bench.runs(id))[0]).toMatchObject({ result: "done" });
    await bench.kernel.clock.advance(60_000);
    expect(bench.kernel.events.all(NotifyFailed)).toHaveLength(1);
    if (code !== "ECONNREFUSED") await target[Symbol.asyncDispose]();
  },
);
