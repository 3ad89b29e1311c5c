import { mergeConfig } from "vitest/config";
import shared from "@gantry/build/vitest";

export default mergeConfig(shared, {
  // The browser leaves time to the others while it is waited for.
  test: { maxWorkers: 2 },
});
