import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Home } from "@gantry/system/home/home";
import { discoverPlugins } from "@gantry/system/plugin-packages/discover";

/** Where the plugins are that come with the daemon, seen from its bundle; from its sources, those of the test kit. */
export function deliveredPlugins(): string | undefined {
  const isSource = import.meta.url.endsWith(".ts");
  const folder = fileURLToPath(
    new URL(
      isSource ? "../../../testing/plugins" : "../../../plugins",
      import.meta.url,
    ),
  );
  return existsSync(folder) ? folder : undefined;
}

/** Finds those, and those of a home. */
export const discoverAll = ({ plugins }: Pick<Home, "plugins">) =>
  discoverPlugins(plugins, deliveredPlugins());
