import { standIn } from "../help/agents-kernel.ts";
import { testDriver } from "./driver-suite.ts";

testDriver({
  name: "acp, with the practice agent",
  clis: () => ({ rough: standIn("rough-acp") }),
  cli: "practice",
  rough: "rough",
  steers: false,
  answerCost: null,
});

for (const version of ["0.74.2", "0.87.1"]) {
  const pi = (home: string) =>
    standIn("fake-pi", { FAKE_PI_VERSION: version, FAKE_PI_HOME: home });
  testDriver({
    name: `pi, on the wire of ${version}`,
    clis: (home) => ({ pi: pi(home) }),
    cli: "pi",
    rough: "pi",
    steers: true,
    answerCost: 0.0006,
  });
}
