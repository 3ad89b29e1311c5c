import { standIn } from "../help/agents-kernel.ts";
import { testWithAgents } from "./driver-suite.ts";

testWithAgents({
  name: "Codex, on the wire of 0.169.0",
  clis: (home) => ({ codex: standIn("fake-codex", { CODEX_HOME: home }) }),
  cli: "codex",
  rough: "codex",
  steers: true,
  askTitle: (title) => `shell: ${title}`,
  reportsNothing: true,
  answerCost: null,
});
