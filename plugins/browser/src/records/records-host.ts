import type { PluginContext } from "@gantry/plugin";

/** Part of the plugin's context that the records need. */
export type RecordsHost = Pick<
  PluginContext,
  "store" | "clock" | "folder" | "log" | "signal"
>;
