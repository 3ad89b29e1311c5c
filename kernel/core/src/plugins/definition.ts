import { pathToFileURL } from "node:url";
import type { PluginDefinition, Schema } from "@gantry/plugin";
import { within } from "@gantry/system/clock/deadline";
import { runInContext } from "@gantry/system/context/work-context";
import { issuePath } from "@gantry/system/issue-path";
import { isPluginId, isReservedId } from "@gantry/store/plugin-id";
import type { PluginOrigin, PluginPackage } from "./manifest.ts";
import { checkMounts } from "./mounts.ts";
import { shortDigestOf } from "./plugin-digest.ts";

/** Time that the code of a plugin may take to load, and its `setup` to run. */
export const START_LIMIT_MS = 10_000;

/**
 * Imports the code of a plugin. A package that has only pages gets an empty definition.
 *
 * @throws Error with the reason why the code cannot be used
 */
export async function loadDefinition(
  plugin: PluginPackage,
): Promise<PluginDefinition> {
  const definition =
    plugin.server === undefined
      ? createUiOnlyDefinition(plugin)
      : await importDefinition(plugin.name, plugin.server);
  const { commands } = plugin;
  // The command line finds files and settings by this name, without loading the code that has the id.
  if (commands && commands.name !== definition.id)
    throw new Error(
      `its id is "${definition.id}", but its commands are called "${commands.name}"`,
    );
  return definition;
}

async function importDefinition(
  name: string,
  server: string,
): Promise<PluginDefinition> {
  // The address depends only on the code, so that compiled code can be cached for the next start.
  const url = `${pathToFileURL(server).href}?v=${await shortDigestOf(server)}`;
  const module = (await within(
    START_LIMIT_MS,
    runInContext({ plugin: name }, () => import(url) as Promise<unknown>),
  )) as { default?: PluginDefinition };
  const definition = module.default;
  if (
    definition?.api !== 1 ||
    typeof definition.id !== "string" ||
    typeof definition.setup !== "function"
  ) {
    throw new Error(
      "its server file has no default export made by definePlugin",
    );
  }
  return definition;
}

/**
 * Checks the id, paths and events of a definition. None may belong to the kernel or to another plugin.
 *
 * @throws Error with the first thing that is wrong
 */
export function checkDefinition(
  definition: PluginDefinition,
  others: readonly PluginDefinition[],
  origin: PluginOrigin,
): void {
  const { id, events } = definition;
  if (!isPluginId(id))
    throw new Error(`"${id}" is not a plugin id: kebab-case, 40 characters`);
  if (isReservedId(id)) throw new Error(`the id "${id}" is the kernel's own`);
  checkMounts(definition, others, origin);
  for (const { type } of events ?? []) {
    const other = others.find((one) =>
      one.events?.some((event) => event.type === type),
    );
    if (other) throw new Error(`the event ${type} belongs to "${other.id}"`);
  }
}

/**
 * Validates a plugin's section of the configuration and returns the output of its schema.
 *
 * @throws Error that names the setting and what is expected
 */
export async function readConfig(
  definition: PluginDefinition,
  section: unknown,
): Promise<unknown> {
  if (!definition.config) return undefined;
  const schema: Schema = definition.config;
  const result = await schema["~standard"].validate(section ?? {});
  if (!result.issues) return result.value;
  const [issue] = result.issues;
  const path = issuePath(issue);
  throw new Error(
    `its configuration does not fit: "settings.${definition.id}${path ? `.${path}` : ""}": ${issue?.message}`,
  );
}

/** The definition of a plugin with only pages. The folder of a package with a scope is no valid plugin id. */
function createUiOnlyDefinition({
  name,
  packageName,
}: PluginPackage): PluginDefinition {
  return {
    id: isPluginId(name) ? name : packageName.replace(/^@[^/]*\//, ""),
    api: 1,
    summary: `Pages of ${packageName}`,
    mounts: [],
    setup: () => {},
  };
}
