import type { App } from "../contract.ts";
import { createDiskApp } from "./disk.ts";
import type { DiskHost } from "./disk.ts";
import { createDockerApp } from "./docker.ts";
import { createLogsApp } from "./logs.ts";
import type { LogsHost } from "./logs.ts";
import { createPortsApp } from "./ports.ts";
import type { PortsHost } from "./ports.ts";
import { createProcessesApp } from "./processes.ts";
import type { ProcessesHost } from "./processes.ts";

/** What the built-in apps need of the plugin's context. */
export type BuiltInHost = DiskHost & LogsHost & PortsHost & ProcessesHost;

/** The apps that this plugin brings along, by id. They use the service as those of any other plugin. */
export const BUILT_IN_APPS = {
  disk: createDiskApp,
  docker: () => createDockerApp(),
  logs: createLogsApp,
  ports: createPortsApp,
  processes: createProcessesApp,
} satisfies Record<string, (host: BuiltInHost) => App>;
