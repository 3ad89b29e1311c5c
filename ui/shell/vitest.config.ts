import shared from "@gantry/build/vitest";
import { mergeConfig } from "vitest/config";

// One browser at a time: two share two slow cores badly.
export default mergeConfig(shared, {
  test: {
    fileParallelism: false,
    expect: { poll: { interval: 50 } },
  },
});
