import { defineErrors } from "@gantry/plugin";
import type { AgentsKernel } from "./agents-kernel.ts";

const { STORAGE_UNAVAILABLE } = defineErrors({
  STORAGE_UNAVAILABLE: { status: 503, title: "Away", detail: "It is away." },
});

/** Lets the store of a kernel refuse what a test says. */
export class StoreOutage {
  /** Writes that hold such a value are refused; none while it is undefined. */
  refuses: ((value: string) => boolean) | undefined;
  /** How often a write was refused. */
  refused = 0;

  constructor({ kernel }: AgentsKernel) {
    const { engine } = kernel.kernel.foundation.core;
    const commit = engine.commit.bind(engine);
    engine.commit = async (operations, numberEvents) => {
      const written = [operations, numberEvents?.(0).operations];
      if (this.refuses?.(JSON.stringify(written))) {
        this.refused += 1;
        throw STORAGE_UNAVAILABLE();
      }
      return await commit(operations, numberEvents);
    };
  }
}
