import type { PluginContext } from "@gantry/plugin";
import type { App } from "../contract.ts";
import { createLogsApp } from "./logs.ts";

/** The apps that this plugin brings along, by id. They use the service as those of any other plugin. */
export const BUILT_IN_APPS = {
  logs: createLogsApp,
} satisfies Record<string, (context: PluginContext) => App>;
