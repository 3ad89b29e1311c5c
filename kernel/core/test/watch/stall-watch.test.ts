import { channel } from "node:diagnostics_channel";
import { defineRoute, WORK_BEGAN } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import { okAnswer } from "@gantry/plugin/zod";
import { expect, test } from "vitest";
import { startProbe } from "../support/probe.ts";
import type { ProbedKernel } from "../support/probe.ts";

/** Keeps the event loop from everything else. */
function standStill(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

const addStall = (ms: number) => (ctx: PluginContext) =>
  void ctx.route(
    defineRoute({
      method: "POST",
      path: "/api/probe/stall",
      summary: "Made for a test",
      access: "session",
      returns: okAnswer,
      handle() {
        standStill(ms);
        return { ok: true as const };
      },
    }),
  );

const told = ({ log }: ProbedKernel) =>
  log.filter(({ message }) => message === "The event loop stood still");

test("a stall is reported, with what ran", { tags: "thorough" }, async () => {
  await using kernel = await startProbe({ setup: addStall(1_050) });
  await kernel.api.post("/api/probe/stall");
  await expect.poll(() => told(kernel)).not.toEqual([]);
  const [line] = told(kernel);
  expect(line).toMatchObject({ level: "warn", from: "doctor" });
  expect(line!.ms).toBeGreaterThanOrEqual(900);
  expect(line!.cpuMs).toBeGreaterThan(100);
  expect(line!.after).toContain("POST /api/probe/stall");
});

test("a daemon that has stopped is watched no longer", async () => {
  const watched = [WORK_BEGAN, "http.server.request.start"].map((name) =>
    channel(name),
  );
  const kernel = await startProbe();
  expect(watched.map(({ hasSubscribers }) => hasSubscribers)).toEqual([
    true,
    true,
  ]);
  await kernel.stop();
  expect(watched.map(({ hasSubscribers }) => hasSubscribers)).toEqual([
    false,
    false,
  ]);
});

test("a job that stands still is reported too, and a short stop is not", async () => {
  await using kernel = await startProbe({ setup: addStall(300) });
  await kernel.api.post("/api/probe/stall");
  kernel.ctx.cron("0 * * * *", () => standStill(1_050), { timezone: "UTC" });
  await kernel.clock.advanceTo("2026-03-02T13:00:00.000Z");
  await expect.poll(() => told(kernel)).toHaveLength(1);
  // On a busy machine the request a moment before may be named beside it.
  expect(told(kernel)[0]!.after).toContain("probe");
});
