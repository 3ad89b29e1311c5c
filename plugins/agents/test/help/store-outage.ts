import { defineErrors } from "@gantry/plugin";
import type { AgentsKernel } from "./agents-kernel.ts";

const { STORAGE_UNAVAILABLE } = defineErrors({
  STORAGE_UNAVAILABLE: { status: 503, title: "Away", detail: "It is away." },
});

/** Makes the store of a kernel refuse the writes that a test selects. */
export class StoreOutage {
  /** Selects the writes to refuse by their values; none while it is undefined. */
  refuses: ((value: string) => boolean) | undefined;
  /** Number of refused writes. */
  refused = 0;

  constructor({ kernel }: AgentsKernel) {
    const { engine } = kernel.kernel.foundation.core;
    const commit = engine.commit.bind(engine);
    engine.commit = async (operations) => {
      if (this.refuses?.(JSON.stringify(operations))) {
        this.refused += 1;
        throw STORAGE_UNAVAILABLE();
      }
      return await commit(operations);
    };
  }
}
