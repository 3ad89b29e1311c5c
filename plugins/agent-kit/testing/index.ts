export { BenchSession, DriverBench } from "./driver-bench.ts";
export { createRealClock } from "./real-clock.ts";
export { RealScreen } from "./real-screen.ts";
export { ScriptedCli } from "./scripted-cli.ts";
export { toStandIn } from "./stand-in.ts";
export { createToolServer, readToolCalls } from "./tool-server.ts";
export type { ToolCall } from "./tool-server.ts";
export { isAlive, isRunning, mentions, processesIn, until } from "./wait.ts";
