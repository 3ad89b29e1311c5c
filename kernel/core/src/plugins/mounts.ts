import type { PluginDefinition } from "@gantry/plugin";
import type { PluginOrigin } from "./manifest.ts";
import type { PluginEntry } from "./plugin-status.ts";

/** Paths that no plugin may have. */
const KERNEL_MOUNTS = [
  "/api/auth",
  "/api/plugins",
  "/api/system",
  "/pair",
  "/plugins",
];
/** Paths of essential plugins, which no added plugin may have while one of them does not run. */
const ESSENTIAL_MOUNTS = ["/api/doctor", "/api/events"];

/** Mount of a delivered plugin that owns every address outside of `/api` that no other mount has. */
const ALL_CONTENT = "/";
const NAME = "[a-z0-9-]+";
const PARAMETER = "\\{[a-zA-Z][a-zA-Z0-9]*\\}";
const API_MOUNT = new RegExp(`^/api(/${NAME})+$`);
const CONTENT_MOUNT = new RegExp(`^/content(/${NAME})+$`);
const DELIVERED_MOUNT = new RegExp(`^/(?!api(/|$))[a-z0-9_-]*(/${NAME})*$`);
/** A path with parameters. It begins and ends with a name, so that it never takes all that another plugin has. */
const PATTERN = new RegExp(`^/api/${NAME}(/${NAME}|/${PARAMETER})*/${NAME}$`);
/** A path of an operation, a socket or a handler. Any other sign would mean something to the router. */
const API_PATH = /^(\/([\w.~-]+|\{\w+\}))+(\/\*\*)?$/;
/** An address of content. */
const CONTENT_PATH = /^((\/[\w.~-]+)+|\/)?(\/\*\*)?$/;

/**
 * Checks the paths that a definition claims and delegates: none of the kernel's, none of another plugin's unless that
 * one delegates it.
 *
 * @throws Error with the first thing that is wrong
 */
export function checkMounts(
  definition: PluginDefinition,
  others: readonly PluginDefinition[],
  origin: PluginOrigin,
): void {
  const { mounts, delegates = [] } = definition;
  for (const path of delegates) {
    if (!API_MOUNT.test(path) && !PATTERN.test(path))
      throw new Error(`the path "${path}" that it delegates is not one`);
    if (!mounts.some((mount) => path !== mount && isWithin(path, mount)))
      throw new Error(`it delegates ${path}, which is not below its mounts`);
  }
  const isAdded = origin === "home";
  const forms = [API_MOUNT, PATTERN, isAdded ? CONTENT_MOUNT : DELIVERED_MOUNT];
  const reserved = isAdded
    ? [...KERNEL_MOUNTS, ...ESSENTIAL_MOUNTS]
    : KERNEL_MOUNTS;
  for (const mount of mounts) {
    if (!forms.some((form) => form.test(mount)))
      throw new Error(`its mount "${mount}" is not under /api or /content`);
    if (reserved.some((path) => overlap(path, mount)))
      throw new Error(`the path ${mount} is the kernel's own`);
    for (const other of others) checkBeside(mount, definition, other);
  }
}

/**
 * Checks at a plugin's start that each of its mounts with a parameter is delegated. The plugin that owns the path may be
 * loaded after this one, so that it is not known earlier.
 *
 * @throws Error that names the mount and what is missing
 */
export function checkDelegation(
  { id, mounts }: PluginDefinition,
  all: readonly PluginDefinition[],
): void {
  for (const mount of mounts.filter(hasParameter)) {
    const owner = all.find(({ mounts: paths }) =>
      paths.some((path) => !hasParameter(path) && isWithin(mount, path)),
    );
    if (!owner)
      throw new Error(`its mount ${mount} is below no path of another plugin`);
    if (owner.id !== id && !isDelegated(mount, owner))
      throw notDelegated(mount, owner);
  }
}

/**
 * Checks that a plugin may register an operation, a socket or a handler at a path: it is below its mounts in `/api` and
 * not delegated.
 *
 * @throws TypeError if it may not
 */
export function checkApiPath(definition: PluginDefinition, path: string): void {
  if (!API_PATH.test(path))
    throw new TypeError(
      `"${path}" is not a path: it has names, parameters such as {id}, and /** at its end for a handler.`,
    );
  const { id, delegates = [] } = definition;
  const delegated = delegates.find((one) => isWithin(path, one));
  if (delegated !== undefined)
    throw new TypeError(
      `${path} is for other plugins: "${id}" delegates ${delegated}.`,
    );
  if (!path.startsWith("/api/") || !isBelowMounts(definition, path))
    throw outside(definition, path);
}

/**
 * Checks that the address of content is below a mount outside of `/api`.
 *
 * @throws TypeError if it is not
 */
export function checkContentPath(
  definition: PluginDefinition,
  pattern: string,
): void {
  const path = pattern.replace(/\/\*\*$/, "");
  const isApi = path === "/api" || path.startsWith("/api/");
  const isPlain = CONTENT_PATH.test(pattern);
  const isOwned =
    definition.mounts.includes(ALL_CONTENT) || isBelowMounts(definition, path);
  if (!isPlain || isApi || !isOwned) throw outside(definition, pattern);
}

/**
 * The plugin that is not active and has a mount above the path of a request. The one with the shortest mount, since a
 * plugin that serves a part of another's paths often waits for that one.
 */
export function findInactive(
  entries: readonly PluginEntry[],
  path: string,
): PluginEntry | undefined {
  const above = ({ definition }: PluginEntry) =>
    (definition?.mounts ?? []).filter((mount) => serves(mount, path));
  const [found] = entries
    .filter(({ state }) => state !== "active")
    .flatMap((entry) => above(entry).map((mount) => ({ entry, mount })))
    .sort((one, other) => breadthOf(one.mount) - breadthOf(other.mount));
  return found?.entry;
}

/** Whether the path of a request is below a mount, whose parameters stand for any one part of it. */
export function serves(mount: string, path: string): boolean {
  if (mount === ALL_CONTENT) return !/^\/api(\/|$)/.test(path);
  const parts = path.split("/");
  return mount
    .split("/")
    .every((part, index) =>
      hasParameter(part) ? Boolean(parts[index]) : part === parts[index],
    );
}

/** Length of a mount; the one that has all the rest is taken last. */
function breadthOf(mount: string): number {
  return mount === ALL_CONTENT ? Infinity : mount.length;
}

function checkBeside(
  mount: string,
  definition: PluginDefinition,
  other: PluginDefinition,
): void {
  for (const path of other.mounts) {
    if (!overlap(mount, path)) continue;
    const isSame = isWithin(mount, path) && isWithin(path, mount);
    if (!isSame && isWithin(mount, path)) {
      if (isDelegated(mount, other)) continue;
      throw notDelegated(mount, other);
    }
    // One that was loaded earlier does not keep the owner of the path from starting; its own start is refused.
    if (!isSame && (isDelegated(path, definition) || hasParameter(path)))
      continue;
    throw new Error(`its mount ${mount} overlaps "${other.id}"`);
  }
}

function notDelegated(mount: string, { id }: PluginDefinition): Error {
  return new Error(
    `its mount ${mount} overlaps "${id}", which does not delegate it`,
  );
}

function isDelegated(
  mount: string,
  { delegates = [] }: PluginDefinition,
): boolean {
  return delegates.some(
    (path) => isWithin(path, mount) && isWithin(mount, path),
  );
}

const isBelowMounts = ({ mounts }: PluginDefinition, path: string) =>
  mounts.some((mount) => isWithin(path, mount));

const outside = ({ id, mounts }: PluginDefinition, path: string) =>
  new TypeError(
    `${path} is outside the mounts of "${id}": ${mounts.join(", ")}.`,
  );

function overlap(one: string, other: string): boolean {
  return isWithin(one, other) || isWithin(other, one);
}

/** Whether a declared path is another or below it. Names of parameters do not count. */
function isWithin(path: string, other: string): boolean {
  const [inner, outer] = [withoutNames(path), withoutNames(other)];
  return inner === outer || inner.startsWith(`${outer}/`);
}

function withoutNames(path: string): string {
  return path.replace(/\{[^}]*\}/g, "{}");
}

function hasParameter(path: string): boolean {
  return path.includes("{");
}
