import { standIn } from "../help/agents-kernel.ts";
import { testWithAgents } from "./driver-suite.ts";

testWithAgents({
  name: "acp, with the practice agent",
  clis: () => ({ rough: standIn("rough-acp") }),
  cli: "practice",
  rough: "rough",
  steers: false,
  answerCost: null,
});
