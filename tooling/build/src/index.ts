export { buildPlugin } from "./build.ts";
export { runCommand } from "./command.ts";
export type { PluginFolder } from "./manifest.ts";
export { BuildProblem } from "./problem.ts";
