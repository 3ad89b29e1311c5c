export { cpuCostOf } from "./cpu-cost-of.ts";
export { isLongRun } from "./long-run.ts";
