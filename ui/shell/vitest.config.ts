import shared from "@gantry/build/vitest";
import { mergeConfig } from "vitest/config";

export default mergeConfig(shared, {
  test: { expect: { poll: { interval: 50 } } },
});
