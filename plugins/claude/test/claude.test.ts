import {
  testCopies,
  testDriver,
  type DriverSubject,
} from "@gantry/agent-kit/conformance";
import { toStandIn, type DriverBench } from "@gantry/agent-kit/testing";
import { createClaudeDriver } from "../src/claude-driver.ts";
import { FAKE_CLAUDE } from "./testing.ts";

// The cost of the three turns before the copy.
for (const [version, carries] of [
  ["2.1.197", "0"],
  ["2.1.329", "0.9"],
] as const) {
  const subject = {
    name: `Claude Code, on the wire of ${version}`,
    prepare: async ({ host, folder }: DriverBench) => ({
      driver: createClaudeDriver(host),
      command: {
        args: toStandIn(FAKE_CLAUDE).args,
        env: {
          HOME: folder,
          FAKE_CLAUDE_VERSION: version,
          FAKE_CLAUDE_CARRIES: carries,
        },
        version,
      },
    }),
  } satisfies DriverSubject;

  testDriver(subject);

  testCopies({
    ...subject,
    spend: (usd) => `[[cost:${usd}]]`,
    listed: "compact",
    forks: true,
    clones: true,
    compacts: true,
  });
}
