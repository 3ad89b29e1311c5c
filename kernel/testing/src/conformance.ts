import type { PluginContext, PluginDefinition } from "@gantry/plugin";
import { describe, expect, test } from "vitest";
import { startTestKernel } from "./test-kernel.ts";
import type { TestKernel, TestKernelOptions } from "./test-kernel.ts";

/** How to test a plugin that needs more than itself. */
export interface ConformanceOptions extends TestKernelOptions {
  /** Plugins that it needs: real ones, or stand-ins by `provideFake`. */
  beside?: () => readonly PluginDefinition[];
  /** Path of a request that the plugin answers, to have one open while it stops. */
  openPath?: string;
}

const isThorough = process.env.GANTRY_THOROUGH === "1";

/** What a round leaves behind, ten leave as well; a long run finds what happens now and then only. */
const CYCLES = isThorough ? 50 : 10;

/** One in `STRIDE` steps of a setup fails. Its steps are much alike, and a plugin may have more than a hundred. */
const STRIDE = isThorough ? 1 : 4;

/**
 * The suite that every plugin passes: it starts, fails half-way and leaves nothing, stops with a request open, starts
 * again, and leaves nothing after many rounds.
 */
export function testPluginConformance(
  create: () => PluginDefinition,
  options: ConformanceOptions = {},
): void {
  const { beside = () => [], openPath, ...kernelOptions } = options;
  const start = (plugin: PluginDefinition) =>
    startTestKernel([...beside(), plugin], kernelOptions);

  describe("conformance", () => {
    test("it starts", async () => {
      const plugin = create();
      await using kernel = await start(plugin);
      expect(statusOf(kernel, plugin.id)).toEqual({
        state: "active",
        reason: null,
      });
    });

    test("it fails at any step of its setup and leaves nothing", async () => {
      const steps = await countSteps(create, start);
      const empty = await measureEmpty(create(), start);
      for (let step = 1; step <= steps; step += STRIDE) {
        const plugin = create();
        await using kernel = await start(failAtStep(plugin, step));
        kernel.expectFault(/./);
        expect(statusOf(kernel, plugin.id).state, `step ${step}`).toBe(
          "failed",
        );
        expect(footprint(kernel), `step ${step}`).toEqual(empty);
      }
    });

    test("it stops with a request open", async () => {
      const plugin = create();
      await using kernel = await start(plugin);
      const answer =
        openPath === undefined
          ? undefined
          : kernel.api.open(openPath).catch(() => undefined);
      await kernel.kernel.plugins.stop(plugin.id);
      await answer?.then((response) => response?.body?.cancel());
      expect(statusOf(kernel, plugin.id).state).toBe("waiting");
    });

    test(`it leaves nothing after ${CYCLES} rounds of stop and start`, async () => {
      const plugin = create();
      await using kernel = await start(plugin);
      const running = footprint(kernel);
      for (let round = 0; round < CYCLES; round++) {
        await kernel.kernel.plugins.stop(plugin.id);
        await kernel.kernel.plugins.start();
      }
      expect(statusOf(kernel, plugin.id)).toEqual({
        state: "active",
        reason: null,
      });
      expect(footprint(kernel)).toEqual(running);
      await kernel.kernel.plugins.stop(plugin.id);
      expect(footprint(kernel)).toEqual(await measureEmpty(create(), start));
    });

    test("it starts again on what it left in its home", async () => {
      const plugin = create();
      await using kernel = await start(plugin);
      await kernel.restart();
      expect(statusOf(kernel, plugin.id)).toEqual({
        state: "active",
        reason: null,
      });
    });
  });
}

function statusOf(
  kernel: TestKernel,
  id: string,
): { state: string; reason: string | null } {
  const status = kernel.kernel.plugins
    .list()
    .find((plugin) => plugin.id === id);
  return { state: status?.state ?? "missing", reason: status?.reason ?? null };
}

/** Everything that a plugin could leave behind in a kernel, counted. */
function footprint(kernel: TestKernel): Record<string, number> {
  const { http, foundation, plugins } = kernel.kernel;
  return {
    routes: http.app.table.routes().length,
    sockets: http.app.table.sockets().length,
    handlers: http.app.table.handlers().length,
    connections: http.connections.size,
    listeners: foundation.bus.size,
    services: plugins.services.size,
    timers: kernel.clock.pending,
  };
}

type Start = (plugin: PluginDefinition) => Promise<TestKernel>;

async function measureEmpty(
  plugin: PluginDefinition,
  start: Start,
): Promise<Record<string, number>> {
  await using kernel = await start(plugin);
  await kernel.kernel.plugins.stop(plugin.id);
  return footprint(kernel);
}

/** The calls that register something. */
const STEPS = ["route", "socket", "on", "cron", "provide", "own"] as const;

async function countSteps(
  create: () => PluginDefinition,
  start: Start,
): Promise<number> {
  let count = 0;
  await using _kernel = await start(watchSteps(create(), () => void count++));
  return count;
}

function failAtStep(
  plugin: PluginDefinition,
  failing: number,
): PluginDefinition {
  let step = 0;
  return watchSteps(plugin, () => {
    if (++step === failing)
      throw new Error(`Fails at step ${failing} on purpose.`);
  });
}

function watchSteps(
  plugin: PluginDefinition,
  onStep: () => void,
): PluginDefinition {
  return {
    ...plugin,
    setup(ctx) {
      const watched: PluginContext = { ...ctx };
      for (const step of STEPS) {
        const original = ctx[step] as (...args: unknown[]) => unknown;
        Object.assign(watched, {
          [step]: (...args: unknown[]) => {
            onStep();
            return original(...args);
          },
        });
      }
      return plugin.setup(watched);
    },
  };
}
