import { join } from "node:path";
import { errors } from "../errors.ts";
import { discoverPlugins } from "./discover.ts";
import { isReservedId } from "@gantry/store/plugin-id";

/** A valid name of an npm package, with or without a scope. */
const PACKAGE_NAME = /^(?:@([a-z0-9][\w.-]*)\/)?([a-z0-9][\w.-]*)$/i;

/**
 * Returns the folder of a package: its present one, or a new name that no other package has.
 *
 * @throws `PLUGIN_INVALID` for a name that is not a package name, or that is reserved
 */
export async function packageFolder(
  packageName: string,
  pluginsFolder: string,
): Promise<string> {
  const [, scope, name = ""] = PACKAGE_NAME.exec(packageName) ?? [];
  if (!name)
    throw errors.PLUGIN_INVALID({ reason: "its package name is not a name" });
  if (!scope && isReservedId(name))
    throw errors.PLUGIN_INVALID({
      reason: `the name "${name}" is the kernel's own`,
    });
  const { packages } = await discoverPlugins([
    { folder: pluginsFolder, origin: "home" },
  ]);
  const own = packages.find((plugin) => plugin.packageName === packageName);
  if (own) return own.folder;
  // No package name contains "+", so two packages never share a folder.
  const preferred = scope ? `@${scope}+${name}` : name;
  const taken = new Set(packages.map((plugin) => plugin.name));
  let free = preferred;
  for (let number = 2; taken.has(free); number++)
    free = `${preferred}+${number}`;
  return join(pluginsFolder, free);
}
