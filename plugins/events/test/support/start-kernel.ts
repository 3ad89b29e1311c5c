// By its path: the test kernel brings this plugin, so that a dependency on its package would be a circle.
import { startTestKernel } from "../../../../kernel/testing/src/index.ts";
import type { TestKernel } from "../../../../kernel/testing/src/index.ts";
import type { PluginContext, PluginDefinition } from "@gantry/plugin";

/** A test kernel with a plugin that emits events when the test says so. */
export interface EmittingKernel extends TestKernel {
  /** Context of the plugin `probe`. */
  readonly ctx: PluginContext;
}

/** Starts a kernel that has this plugin, as every test kernel, and one that emits the given events. */
export async function startEmitting(
  events: PluginDefinition["events"],
): Promise<EmittingKernel> {
  let context: PluginContext;
  const probe: PluginDefinition = {
    id: "probe",
    api: 1,
    summary: "Emits events for a test",
    mounts: ["/api/probe"],
    events,
    setup: (ctx) => void (context = ctx),
  };
  const kernel = await startTestKernel([probe]);
  return Object.defineProperty(kernel, "ctx", {
    get: () => context,
    enumerable: true,
  }) as EmittingKernel;
}
