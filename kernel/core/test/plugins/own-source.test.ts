import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { defineEvent, defineService } from "@gantry/plugin";
import { startProbe } from "../support/probe.ts";

const Happened = defineEvent<object>("probe.happened", "Made for a test.");
const Thing = defineService<object>("other.thing@1");

test("what a plugin registers and takes back again leaves nothing on its signal", async () => {
  await using kernel = await startProbe({ wants: { thing: Thing } });
  const { ctx } = kernel;
  const listeners = () => getEventListeners(ctx.signal, "abort").length;
  const before = listeners();
  for (let round = 0; round < 3; round++)
    for (const undo of [
      ctx.on(Happened, () => {}),
      ctx.cron("0 4 * * *", () => {}, { timezone: "UTC" }),
      ctx.whenThere(Thing, () => {}),
      ctx.diagnose(() => []),
    ])
      undo();
  expect(listeners()).toBe(before);
});
