import { MACHINE_PREFIX } from "@gantry/plugin";
import type { TestKernel } from "@gantry/plugin-testing";

const MAX_ROUNDS = 500;

/** Waits until the plugin keeps nothing that names an automation, but for what a restore of it must know. */
export async function nothingOf(kernel: TestKernel, id: string): Promise<void> {
  const { engine } = kernel.kernel.foundation.core;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const all = await engine.keys("automations:");
    const keys = all.filter(
      (key) => !key.startsWith(`automations:${MACHINE_PREFIX}`),
    );
    const entries = await Promise.all(
      keys.map(async (key) => key + JSON.stringify(await engine.get(key))),
    );
    if (!entries.some((entry) => entry.includes(id))) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error("Something of the automation stays in the store.");
}
