import type { App } from "../contract.ts";
import { createDiskApp } from "./disk.ts";
import type { DiskHost } from "./disk.ts";
import { createLogsApp } from "./logs.ts";
import type { LogsHost } from "./logs.ts";

/** What the built-in apps need of the plugin's context. */
export type BuiltInHost = DiskHost & LogsHost;

/** The apps that this plugin brings along, by id. They use the service as those of any other plugin. */
export const BUILT_IN_APPS = {
  disk: createDiskApp,
  logs: createLogsApp,
} satisfies Record<string, (host: BuiltInHost) => App>;
