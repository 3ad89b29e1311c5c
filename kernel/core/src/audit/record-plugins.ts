import { digestOf } from "@gantry/system/plugin-packages/plugin-digest";
import type { PluginStatus } from "../plugins/plugin-status.ts";
import type { Audit } from "@gantry/system/audit/audit";

/** What the log says of a plugin: enough to tell later which code it was. */
export async function describePlugin({
  id,
  version,
  origin,
  state,
  package: plugin,
}: PluginStatus) {
  // One that is half removed has no digest, and that is not what this is for.
  const digest = plugin && (await digestOf(plugin).catch(() => undefined));
  const { packageName } = plugin ?? {};
  return { plugin: id, package: packageName, version, origin, state, digest };
}

/** Writes down which plugins a daemon started with. */
export async function recordPlugins(
  audit: Pick<Audit, "record">,
  plugins: readonly PluginStatus[],
): Promise<void> {
  for (const plugin of plugins)
    if (plugin.state !== "disabled")
      void audit.record("plugin.loaded", await describePlugin(plugin));
}
