/** @module-tag thorough */
import { createPiDriver } from "../../src/drivers/pi/pi-driver.ts";
import { standIn } from "../help/agents-kernel.ts";
import { testCopies } from "./copies-suite.ts";
import { testDriver } from "./driver-suite.ts";

const version = "0.87.1";

testDriver({
  name: `pi, on the wire of ${version}`,
  clis: (home) => ({
    pi: standIn("fake-pi", { FAKE_PI_VERSION: version, FAKE_PI_HOME: home }),
  }),
  cli: "pi",
  rough: "pi",
  steers: true,
  answerCost: 0.0006,
});

testCopies({
  name: `pi, on the wire of ${version}`,
  prepare: async ({ host, folder }) => ({
    driver: createPiDriver(host),
    command: {
      args: standIn("fake-pi")?.args ?? [],
      env: { FAKE_PI_VERSION: version, FAKE_PI_HOME: folder },
      version,
    },
  }),
  spend: (usd) => `[[cost:${usd}]]`,
  listed: "fix",
  forks: true,
  clones: true,
  compacts: true,
});
