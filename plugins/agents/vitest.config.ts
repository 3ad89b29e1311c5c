import { mergeConfig } from "vitest/config";
import shared from "@gantry/build/vitest";

// The tests under test/agents install real agent CLIs; they have a configuration and a script of their own.
export default mergeConfig(shared, {
  test: {
    exclude: ["test/agents/**"],
    // Most of the time is spent waiting for agents, so that one file at a time would leave the machine idle.
    maxWorkers: 2,
  },
});
