import shared from "@gantry/build/vitest";
import { mergeConfig } from "vitest/config";

export default mergeConfig(shared, {
  test: {
    include: ["attacks/**/*.test.ts"],
    // Much of the time is waiting for daemons that start. More at once than this and browsers are too slow.
    maxWorkers: 2,
  },
});
