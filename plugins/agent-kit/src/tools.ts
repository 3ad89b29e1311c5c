export { diffLines, readPatch, countChanges } from "./tools/line-diff.ts";
export type { DiffLine } from "./tools/line-diff.ts";
export { readTool } from "./tools/read-tool.ts";
export type { ToolKind, FileDiff, ToolReading } from "./tools/read-tool.ts";
export { toRequest } from "./tools/to-request.ts";
export type { RequestedTool } from "./tools/to-request.ts";
