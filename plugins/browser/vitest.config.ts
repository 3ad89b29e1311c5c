import { mergeConfig } from "vitest/config";
import shared from "@gantry/build/vitest";

// Some of these tests drive a browser, and all of them share the machine with it.
export default mergeConfig(shared, {
  test: { expect: { poll: { interval: 20 } } },
});
