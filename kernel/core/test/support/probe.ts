import { defineRoute } from "@gantry/plugin";
import { okAnswer } from "@gantry/plugin/zod";
import type { PluginContext, PluginDefinition } from "@gantry/plugin";
import { startTestKernel } from "../../../testing/src/index.ts";
import type {
  TestKernel,
  TestKernelOptions,
} from "../../../testing/src/index.ts";

/** A plugin that does nothing but what a test says. Its id is `probe` and its mount `/api/<id>`, unless said. */
export function createProbe(
  definition: Partial<PluginDefinition> = {},
): PluginDefinition {
  const { id = "probe" } = definition;
  return {
    api: 1,
    summary: "Made for a test",
    mounts: [`/api/${id}`],
    setup: () => {},
    ...definition,
    id,
  };
}

/** A test kernel with a probe whose context is in the test's hands. */
export interface ProbedKernel extends TestKernel {
  /** Of the run that is on; another one after a restart. */
  readonly ctx: PluginContext;
}

/** Starts a kernel with one probe. Use it with `await using`. */
export async function startProbe(
  definition: Partial<PluginDefinition> = {},
  options: TestKernelOptions & { beside?: readonly PluginDefinition[] } = {},
): Promise<ProbedKernel> {
  let context: PluginContext;
  const probe = createProbe({
    ...definition,
    setup(ctx) {
      context = ctx;
      return definition.setup?.(ctx);
    },
  });
  const { beside = [], ...kernelOptions } = options;
  const kernel = await startTestKernel([...beside, probe], kernelOptions);
  const probed = { get: () => context, enumerable: true };
  return Object.defineProperty(kernel, "ctx", probed) as ProbedKernel;
}

/** An operation that answers, and may do something first. */
export const hello = (
  path: string,
  handle: () => { ok: true } | Promise<{ ok: true }> = () => ({ ok: true }),
) =>
  defineRoute({
    method: "GET",
    path,
    summary: "Hello",
    access: "session",
    returns: okAnswer,
    handle,
  });

/** How a plugin stands, and why. */
export function statusOf(kernel: TestKernel, id: string) {
  const status = kernel.kernel.plugins
    .list()
    .find((plugin) => plugin.id === id);
  return { state: status?.state, reason: status?.reason };
}
