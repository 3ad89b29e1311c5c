import { cases } from "@gantry/build/testing";
import { createClaudeDriver } from "../../src/drivers/claude/claude-driver.ts";
import { standIn } from "../help/agents-kernel.ts";
import { testCopies } from "./copies-suite.ts";
import { testDriver } from "./driver-suite.ts";

testDriver({
  name: "Claude Code, on the wire of 2.1.197",
  clis: (home) => ({ claude: standIn("fake-claude", { HOME: home }) }),
  cli: "claude",
  rough: "claude",
  steers: true,
  confirmsSteersLate: true,
  askTitle: (title) => `Bash: ${title}`,
  reportsLate: true,
  answerCost: 0,
});

// What the three turns before the copy have cost.
for (const [version, carries] of cases([
  ["2.1.329", "0.9"],
  ["2.1.197", "0"],
] as const)) {
  testCopies({
    name: `Claude Code, on the wire of ${version}`,
    prepare: async ({ host, folder }) => ({
      driver: createClaudeDriver(host),
      command: {
        args: standIn("fake-claude")?.args ?? [],
        env: {
          HOME: folder,
          FAKE_CLAUDE_VERSION: version,
          FAKE_CLAUDE_CARRIES: carries,
        },
        version,
      },
    }),
    spend: (usd) => `[[cost:${usd}]]`,
    listed: "compact",
    forks: true,
    clones: true,
    compacts: true,
  });
}
