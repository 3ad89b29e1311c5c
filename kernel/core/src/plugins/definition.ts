import { pathToFileURL } from "node:url";
import type { PluginDefinition, Schema } from "@gantry/plugin";
import { runInContext } from "@gantry/system/context/work-context";
import { issuePath } from "@gantry/system/issue-path";
import type { PluginPackage } from "@gantry/system/plugin-packages/manifest";
import { shortDigestOf } from "@gantry/system/plugin-packages/plugin-digest";
import { within } from "@gantry/system/shutdown/deadline";
import { isReservedId, isPluginId } from "@gantry/system/plugin-id";

/** Time that the code of a plugin may take to load, and its `setup` to run. */
export const START_LIMIT_MS = 10_000;

/** Paths under /api that no plugin may have. */
const KERNEL_MOUNTS = [
  "/api/auth",
  "/api/doctor",
  "/api/events",
  "/api/plugins",
  "/api/system",
];

/**
 * Imports the code of a plugin. A package with pages only gets a definition that does nothing.
 *
 * @throws Error that says why it cannot be used
 */
export async function loadDefinition(
  plugin: PluginPackage,
): Promise<PluginDefinition> {
  const definition =
    plugin.server === undefined
      ? createUiOnlyDefinition(plugin)
      : await importDefinition(plugin.name, plugin.server);
  const { commands } = plugin;
  // Their files and settings are found by this name, without the code that says the id.
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
  // Other code has another address, and the same code the same one, or nothing compiled could be kept for the next start.
  const url = `${pathToFileURL(server).href}?v=${await shortDigestOf(server)}`;
  const module = (await within(
    runInContext({ plugin: name }, () => import(url) as Promise<unknown>),
    { ms: START_LIMIT_MS },
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
 * Checks what a definition claims: its id, its paths, its events; nothing of the kernel's, nothing of another plugin's.
 *
 * @throws Error with the first thing that is wrong
 */
export function checkDefinition(
  { id, mounts, events }: PluginDefinition,
  others: readonly PluginDefinition[],
): void {
  if (!isPluginId(id))
    throw new Error(`"${id}" is not a plugin id: kebab-case, 40 characters`);
  if (isReservedId(id)) throw new Error(`the id "${id}" is the kernel's own`);
  for (const mount of mounts) {
    if (!/^\/api\/[a-z0-9-]+(\/[a-z0-9-]+)*$/.test(mount)) {
      throw new Error(`its mount "${mount}" is not under /api`);
    }
    if (KERNEL_MOUNTS.some((path) => overlap(path, mount))) {
      throw new Error(`the path ${mount} is the kernel's own`);
    }
    const other = others.find((one) =>
      one.mounts.some((path) => overlap(path, mount)),
    );
    if (other) throw new Error(`its mount ${mount} overlaps "${other.id}"`);
  }
  for (const { type } of events ?? []) {
    const other = others.find((one) =>
      one.events?.some((event) => event.type === type),
    );
    if (other) throw new Error(`the event ${type} belongs to "${other.id}"`);
  }
}

function overlap(one: string, other: string): boolean {
  return (
    one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`)
  );
}

/**
 * Checks a plugin's section of the configuration and gives what its schema makes of it.
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

/** A plugin that brings pages and nothing else. The folder of a package with a scope is no plugin id. */
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
