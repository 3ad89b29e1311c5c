import type { PluginDefinition } from "@gantry/plugin";
import acp from "@gantry/plugin-acp";
import claude from "@gantry/plugin-claude";
import codex from "@gantry/plugin-codex";
import pi from "@gantry/plugin-pi";
import practice from "@gantry/plugin-practice";

/** The plugins that add drivers and CLIs. */
export const DRIVER_PLUGINS: readonly PluginDefinition[] = [
  acp,
  claude,
  codex,
  pi,
  practice,
];
