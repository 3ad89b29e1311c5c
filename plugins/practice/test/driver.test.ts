import {
  testCopies,
  testDriver,
  type DriverSubject,
} from "@gantry/agent-kit/conformance";
import type { DriverBench } from "@gantry/agent-kit/testing";
import acp from "@gantry/plugin-acp";
import practice from "../src/index.ts";

const subject = {
  name: "acp, with the practice agent",
  plugins: [acp, practice],
  prepare: async (bench: DriverBench) => ({
    driver: bench.driverOf("practice"),
    command: { args: bench.cliOf("practice").args },
  }),
} satisfies DriverSubject;

testDriver(subject);

testCopies({
  ...subject,
  spend: (usd) => `[[cost:${usd}]]`,
  listed: "help",
  forks: true,
  clones: true,
  compacts: true,
});
