import { fileURLToPath } from "node:url";
import { join } from "node:path";
import {
  practiceParts,
  PRACTICE_CAPABILITIES,
} from "../../src/clis/practice-cli.ts";
import { createAcpDriver } from "../../src/drivers/acp/acp-driver.ts";
import { standIn } from "../help/agents-kernel.ts";
import { testCopies } from "./copies-suite.ts";
import { testDriver } from "./driver-suite.ts";

testDriver({
  name: "acp, with the practice agent",
  clis: () => ({ rough: standIn("rough-acp") }),
  cli: "practice",
  rough: "rough",
  steers: false,
  answerCost: null,
});

testCopies({
  name: "acp, with the practice agent",
  prepare: async ({ host, folder }) => ({
    driver: {
      ...createAcpDriver(host),
      ...practiceParts(folder),
      capabilities: PRACTICE_CAPABILITIES,
    },
    command: {
      args: [
        "--conditions=gantry-source",
        fileURLToPath(new URL("../../src/practice/main.ts", import.meta.url)),
        "--sessions",
        join(folder, "practice"),
      ],
    },
  }),
  spend: (usd) => `[[cost:${usd}]]`,
  listed: "help",
  forks: true,
  clones: true,
  compacts: true,
});
