import type { PluginPackage } from "@gantry/system/plugin-packages/manifest";
import type { Config } from "../config/config.ts";

/**
 * Parts the plugins to run from those to leave alone. Chosen by the name of the folder or of the package, with or
 * without its scope; what a plugin calls itself is known only once its code runs.
 */
export function choosePlugins(
  packages: readonly PluginPackage[],
  { plugins, safe }: Pick<Config, "plugins" | "safe">,
) {
  const chosen: PluginPackage[] = [];
  const leftOut: { plugin: PluginPackage; reason: string }[] = [];
  for (const plugin of packages) {
    const { name, packageName } = plugin;
    const names = [name, packageName, packageName.replace(/^@[^/]*\//, "")];
    const reason = safe
      ? "the daemon runs with --safe"
      : plugins && !plugins.some((wanted) => names.includes(wanted))
        ? "it is not among those that --plugins names"
        : undefined;
    if (reason) leftOut.push({ plugin, reason });
    else chosen.push(plugin);
  }
  return { chosen, leftOut };
}
