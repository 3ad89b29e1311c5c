import { defineEvent } from "@gantry/plugin";
import type { PluginDefinition } from "@gantry/plugin";
import type {
  PluginOrigin,
  PluginPackage,
} from "@gantry/system/plugin-packages/manifest";
import type { Scope } from "./scope.ts";

/** The life of a plugin. */
export type PluginState =
  "disabled" | "waiting" | "starting" | "active" | "stopping" | "failed";

export const PluginChanged = defineEvent<{
  state: PluginState;
  reason: string | null;
}>("kernel.plugin-changed", "A plugin became active, stopped or failed.");

/** What is known of one plugin. */
export interface PluginStatus {
  id: string;
  summary: string;
  version: string;
  origin: PluginOrigin;
  state: PluginState;
  reason: string | null;
  /** Uncaught faults since the daemon started. A plugin that has too many within a minute is stopped. */
  faults: number;
  /** Where it is on disk, `undefined` for one whose code came otherwise. */
  folder: string | undefined;
  /** What its folder says of it, `undefined` if that cannot be read. */
  package: PluginPackage | undefined;
  definition: PluginDefinition | undefined;
}

/** A plugin with what it owns while it runs. */
export interface PluginEntry extends PluginStatus {
  scope: Scope | undefined;
}
