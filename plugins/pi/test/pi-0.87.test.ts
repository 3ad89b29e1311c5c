import {
  testCopies,
  testDriver,
  type DriverSubject,
} from "@gantry/agent-kit/conformance";
import { toStandIn, type DriverBench } from "@gantry/agent-kit/testing";
import { createPiDriver } from "../src/pi-driver.ts";
import { FAKE_PI } from "./testing.ts";

const version = "0.87.1";

const subject = {
  name: `pi, on the wire of ${version}`,
  prepare: async ({ host, folder }: DriverBench) => ({
    driver: createPiDriver(host),
    command: {
      args: toStandIn(FAKE_PI).args,
      env: { FAKE_PI_VERSION: version, FAKE_PI_HOME: folder },
      version,
    },
  }),
} satisfies DriverSubject;

testDriver(subject);

testCopies({
  ...subject,
  spend: (usd) => `[[cost:${usd}]]`,
  listed: "fix",
  forks: true,
  clones: true,
  compacts: true,
});
