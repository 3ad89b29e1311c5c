import { definePlugin } from "@gantry/plugin";
import type { Run } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import type { ShownBlock, ShownView } from "../../src/contract.ts";
import { apps } from "../support/apps.ts";

type Table = Extract<ShownBlock, { type: "table" }>;
type Chart = Extract<ShownBlock, { type: "chart" }>;

/** A kernel with the app and a plugin that runs what a test says. */
async function startProcesses() {
  let run!: Run;
  const runner = definePlugin({
    id: "runner",
    api: 1,
    summary: "Runs programs",
    mounts: [],
    setup(ctx) {
      ({ run } = ctx);
    },
  });
  const kernel = await startTestKernel([apps, runner]);
  const view = async () => {
    const { status, body } = await kernel.api.get<ShownView>(
      "/api/apps/processes/view",
    );
    expect(status).toBe(200);
    return body;
  };
  const rows = async () =>
    (await view()).blocks.find(
      (block): block is Table => block.type === "table",
    )?.rows ?? [];
  const charts = async () =>
    (await view()).blocks
      .flatMap((block) => (block.type === "split" ? block.blocks : []))
      .filter((block): block is Chart => block.type === "chart");
  return { kernel, run, rows, charts };
}

test("the daemon and what plugins run are shown, and stopped", async () => {
  const { kernel, run, rows } = await startProcesses();
  await using _kernel = kernel;
  const child = await run("/bin/sleep", ["1000"]);
  const shown = await rows();
  expect(shown.map(({ cells }) => [cells.program, cells.owner])).toEqual([
    ["gantry", "The daemon itself"],
    ["sleep", "runner"],
  ]);
  const [daemon, sleep] = shown;
  expect(daemon?.actions).toEqual([]);
  expect(daemon?.cells.memory).toEqual({ bytes: expect.any(Number) as number });
  const [stop] = sleep?.actions ?? [];
  expect(stop).toMatchObject({ action: "stop", isDanger: true });
  const { status, body } = await kernel.api.post("/api/apps/processes/action", {
    action: stop?.action,
    args: stop?.args,
  });
  expect([status, body]).toMatchObject([
    200,
    { toast: { text: "It was stopped.", tone: "success" } },
  ]);
  expect((await child.exited).signal).toBe("SIGTERM");
  expect(await rows()).toHaveLength(1);
});

test("a process that has ended, or was started by another program, is not stopped", async () => {
  const { kernel } = await startProcesses();
  await using _kernel = kernel;
  const startedAt = "2020-01-01T00:00:00.000Z";
  const args = { pid: process.ppid, startedAt };
  const { body } = await kernel.api.post("/api/apps/processes/action", {
    action: "stop",
    args,
  });
  expect(body).toMatchObject({ toast: { tone: "attention" } });
});

test.each([
  { action: "stop", args: {} },
  { action: "stop", args: { pid: "1", startedAt: 2 } },
  { action: "start", args: { pid: 1, startedAt: "x" } },
])("the action $action with $args is refused", async (input) => {
  const { kernel } = await startProcesses();
  await using _kernel = kernel;
  const { status, body } = await kernel.api.post(
    "/api/apps/processes/action",
    input,
  );
  expect([status, body]).toMatchObject([409, { code: "APP_REFUSED" }]);
});

test("each look is a sample of the charts, and after a long time without one they start over", async () => {
  const { kernel, charts } = await startProcesses();
  await using _kernel = kernel;
  const times = async () => (await charts()).map((chart) => chart.times.length);
  expect(await times()).toEqual([1, 1]);
  await kernel.clock.advance(2_000);
  expect(await times()).toEqual([2, 2]);
  await kernel.clock.advance(100);
  expect(await times()).toEqual([2, 2]);
  await kernel.clock.advance(60_000);
  expect(await times()).toEqual([1, 1]);
  const [cpu, memory] = await charts();
  expect(cpu?.series.map(({ label }) => label)).toEqual(["daemon"]);
  expect(memory?.series[0]?.values[0]).toBeGreaterThan(1_000_000);
});
