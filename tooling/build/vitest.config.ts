import { mergeConfig } from "vitest/config";
import shared from "./src/vitest.ts";

// Each test starts compilers, a few at a time.
export default mergeConfig(shared, {
  test: { maxConcurrency: 3 },
});
