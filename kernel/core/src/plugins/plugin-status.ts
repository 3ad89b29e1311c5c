import { defineEvent } from "@gantry/plugin";
import type { PluginDefinition } from "@gantry/plugin";
import type { PluginOrigin, PluginPackage } from "./manifest.ts";
import type { Scope } from "./scope.ts";

/** The states of a plugin. */
export type PluginState =
  "disabled" | "waiting" | "starting" | "active" | "stopping" | "failed";

export const PluginChanged = defineEvent<{
  state: PluginState;
  reason: string | null;
}>("kernel.plugin-changed", "A plugin became active, stopped or failed.");

/** A plugin with its state. */
export interface PluginStatus {
  id: string;
  summary: string;
  version: string;
  origin: PluginOrigin;
  state: PluginState;
  reason: string | null;
  /** Its folder, `undefined` for a plugin that was given as a definition. */
  folder: string | undefined;
  /** Its manifest, `undefined` if it cannot be read. */
  package: PluginPackage | undefined;
  definition: PluginDefinition | undefined;
}

/** A plugin with its scope while it runs. */
export interface PluginEntry extends PluginStatus {
  scope: Scope | undefined;
}
