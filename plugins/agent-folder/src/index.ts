export { AgentFolder } from "./agent-folder.ts";
export type { OpenFile, OpenFolder, Place } from "./agent-folder.ts";
export { toFileError, toWriteError } from "./file-errors.ts";
export { folderErrors } from "./folder-errors.ts";
export { parsePath, showPath } from "./folder-path.ts";
export { openAgentFolder } from "./open-agent-folder.ts";
export { isSyntheticFileSystem, isSystemPath } from "./system-paths.ts";
export { isWellFormed } from "./well-formed.ts";
