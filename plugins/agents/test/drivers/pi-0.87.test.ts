import { standIn } from "../help/agents-kernel.ts";
import { testDriver } from "./driver-suite.ts";

testDriver({
  name: "pi, on the wire of 0.87.1",
  clis: (home) => ({
    pi: standIn("fake-pi", { FAKE_PI_VERSION: "0.87.1", FAKE_PI_HOME: home }),
  }),
  cli: "pi",
  rough: "pi",
  steers: true,
  answerCost: 0.0006,
});
