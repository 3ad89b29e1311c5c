import { join } from "node:path";
import { invalidPlugin } from "../errors.ts";
import { discoverPlugins } from "./discover.ts";
import { isReservedId } from "../plugin-id.ts";

/** A name that npm knows, of one part or with a scope. */
const PACKAGE_NAME = /^(?:@([a-z0-9][\w.-]*)\/)?([a-z0-9][\w.-]*)$/i;

/**
 * The folder of an installed package: the one that it has already, else a new one that no other package has.
 *
 * @throws `PLUGIN_INVALID` for a name that is not a package name, or that is reserved
 */
export async function packageFolder(
  packageName: string,
  pluginsFolder: string,
): Promise<string> {
  const [, scope, name = ""] = PACKAGE_NAME.exec(packageName) ?? [];
  if (!name) throw invalidPlugin("its package name is not a name");
  if (!scope && isReservedId(name))
    throw invalidPlugin(`the name "${name}" is the kernel's own`);
  const { packages } = await discoverPlugins(pluginsFolder);
  const own = packages.find((plugin) => plugin.packageName === packageName);
  if (own) return own.folder;
  // "+" is in no package name, so two packages never have one folder.
  const preferred = scope ? `@${scope}+${name}` : name;
  const taken = new Set(packages.map((plugin) => plugin.name));
  let free = preferred;
  for (let number = 2; taken.has(free); number++)
    free = `${preferred}+${number}`;
  return join(pluginsFolder, free);
}
