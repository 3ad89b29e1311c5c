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
