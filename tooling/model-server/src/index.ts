export { startModelServer } from "./server.ts";
export type { ModelServer } from "./server.ts";
export type { ModelRequest, Outcome } from "./request-log.ts";
export type { Usage } from "./script.ts";
export type { ToolCall } from "./tool-call.ts";
