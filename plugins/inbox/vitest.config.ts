import shared from "@gantry/build/vitest";
import { mergeConfig } from "vitest/config";

// Some of these tests drive a browser, and all of them share the machine with it.
export default mergeConfig(shared, {
  test: {
    testTimeout: 20_000,
    expect: { poll: { timeout: 10_000, interval: 20 } },
  },
});
