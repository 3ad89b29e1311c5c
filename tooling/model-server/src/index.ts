export { startModelServer } from "./server.ts";
export type { ModelServer } from "./server.ts";
export type { ModelRequest, Outcome } from "./request-log.ts";
export type { Usage } from "./script.ts";
export type { ToolCall } from "./tool-call.ts";
export { installPi, PI_VERSIONS } from "./install-pi.ts";
export type { InstalledPi } from "./install-pi.ts";
export { PERMISSION_GATE, priceOf, writePiHome } from "./pi-home.ts";
export { installCli } from "./install-others.ts";
export type { CliName, InstalledCli } from "./install-others.ts";
export {
  writeClaudeHome,
  writeCodexHome,
  writeGeminiHome,
  writeOpencodeHome,
} from "./cli-homes.ts";
