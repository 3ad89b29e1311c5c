// Types only: what the server sends can then not be something else here.
export type { AgentUsage } from "@gantry/agent-kit";
export type { UsageReport } from "../src/sums/usage-report.ts";
export type { UsageSum } from "../src/sums/usage-sum.ts";
