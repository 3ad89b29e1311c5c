import type { StoreOperation } from "@gantry/plugin";
import type { Bench } from "./start.ts";

/** Fills the store with copies of an automation and of all that belongs to it, each under ids of its own. */
export async function multiply(
  { kernel }: Bench,
  ids: readonly string[],
  times: number,
): Promise<void> {
  const { engine } = kernel.kernel.foundation.core;
  const keys = await engine.keys("automations:");
  const entries = await Promise.all(
    keys.map(async (key) => JSON.stringify([key, await engine.get(key)])),
  );
  const text = entries.join("\n");
  const writes: Promise<unknown>[] = [];
  for (let copy = 1; copy < times; copy++) {
    // Ids have the letters a to z and the digits 2 to 7.
    const letters = copy.toString(26).padStart(5, "0");
    const suffix = letters.replace(/\d/g, (digit) => "qrstuvwxyz"[+digit]!);
    const renamed = ids.reduce(
      (all, id) => all.replaceAll(id, id.slice(0, -5) + suffix),
      text,
    );
    const operations = renamed.split("\n").map((line): StoreOperation => {
      const [key, value] = JSON.parse(line) as [string, object];
      return { type: "set", key, value };
    });
    writes.push(engine.commit(operations));
  }
  await Promise.all(writes);
}
