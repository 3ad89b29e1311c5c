import { standIn } from "../help/agents-kernel.ts";
import { testWithAgents } from "./driver-suite.ts";

const version = "0.74.2";

testWithAgents({
  name: `pi, on the wire of ${version}`,
  clis: (home) => ({
    pi: standIn("fake-pi", { FAKE_PI_VERSION: version, FAKE_PI_HOME: home }),
  }),
  cli: "pi",
  rough: "pi",
  steers: true,
  answerCost: 0.0006,
});
