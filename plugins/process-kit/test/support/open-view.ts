import { definePlugin, type PluginContext } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import { onTestFinished } from "vitest";
import { createProgramView } from "../../src/program-view.ts";

/** The view of a plugin, whose context starts the programs of a test. @param clock What ends them; real time unless given */
export async function openView(
  clock?: Parameters<typeof createProgramView>[1],
) {
  let context: PluginContext | undefined;
  const probe = definePlugin({
    id: "probe",
    api: 1,
    summary: "Gives what starts programs",
    mounts: [],
    setup: (ctx) => void (context = ctx),
  });
  const kernel = await startTestKernel([probe]);
  onTestFinished(() => kernel.stop());
  const { daemon, run } = context!;
  return { daemon, run, view: createProgramView(context!, clock) };
}
