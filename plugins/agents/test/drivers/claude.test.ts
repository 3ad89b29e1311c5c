import { standIn } from "../help/agents-kernel.ts";
import { testWithAgents } from "./driver-suite.ts";

testWithAgents({
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
