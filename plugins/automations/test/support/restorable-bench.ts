import { createHomeKeeper } from "./home-keeper.ts";
import type { StoreCopy } from "./home-keeper.ts";
import { startBench } from "./start.ts";
import type { BenchOptions } from "./start.ts";

/** A bench whose home can be restored. */
export async function startRestorable(options: BenchOptions = {}) {
  const keeper = createHomeKeeper();
  const bench = await startBench({ ...options, beside: [keeper.plugin] });
  return {
    bench,
    copy: () => keeper.copy(),
    /** Restores all, or the automations only, and waits until the plugin runs again. */
    async restore(copy: StoreCopy, way: "whole" | "merge" = "whole") {
      if (way === "merge") return await keeper.restore(copy, "automations");
      const replaced = bench.kernel.replaced();
      await keeper.restore(copy);
      await replaced;
    },
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  };
}
