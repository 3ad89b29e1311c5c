import { posix, relative, sep } from "node:path";

/** Where a file stands in the repository. */
export interface Place {
  /** Path from the root, with slashes. */
  path: string;
  /** Folder of the package that it belongs to. */
  home: string;
  layer: "plugin" | "contract" | "kernel" | "ui" | "other";
  /** Which part of a package: `setting` is a file beside `src`, such as `vitest.config.ts`. */
  part: "server" | "ui" | "test" | "setting";
}

/** A library has folders beside `test` that only tests import. */
const TEST_FOLDERS: ReadonlySet<string> = new Set([
  "test",
  "testing",
  "conformance",
  "stand-in",
]);

/** Finds the place of a file from the folders of the repository. */
export function placeOf(root: string, file: string): Place {
  const path = relative(root, file).split(sep).join("/");
  const [first = "", second = "", third = ""] = path.split("/");
  const part =
    third === "src"
      ? "server"
      : third === "ui"
        ? "ui"
        : TEST_FOLDERS.has(third)
          ? "test"
          : "setting";
  if (first === "plugins")
    return { path, home: `plugins/${second}`, layer: "plugin", part };
  if (first === "ui")
    return { path, home: `ui/${second}`, layer: "ui", part: "ui" };
  if (first !== "kernel")
    return { path, home: ".", layer: "other", part: "setting" };
  if (second === "contract" || second === "helpers")
    return {
      path,
      home: `kernel/${second}`,
      layer: "contract",
      part: "server",
    };
  return { path, home: `kernel/${second}`, layer: "kernel", part };
}

/** Says why a file at this place may not import a module, `undefined` if it may. */
export function refusal(place: Place, specifier: string): string | undefined {
  const relativeTarget = /^\.\.?(\/|$)/.test(specifier)
    ? posix.join(posix.dirname(place.path), specifier)
    : undefined;
  switch (place.layer) {
    case "plugin":
      if (relativeTarget === undefined)
        return refusalForPlugin(place, specifier);
      return isTestOfEssential(place) &&
        relativeTarget.startsWith("kernel/testing/src/")
        ? undefined
        : refusalOutside(place, relativeTarget);
    case "contract":
      return refusalForContract(place, specifier, relativeTarget);
    case "kernel":
      return refusalForKernel(place, specifier, relativeTarget);
    case "ui":
      return refusalOfPlugins(
        "The shell and the kit know no plugin",
        specifier,
        relativeTarget,
      );
    default:
      return undefined;
  }
}

/** Plugins that every test kernel has, as parts of the daemon. */
const ESSENTIAL_PLUGINS = ["@gantry/plugin-events", "@gantry/plugin-shell"];

/**
 * Whether a file is a test of a plugin that the test kernel brings. It imports the test kernel by its path, because a
 * dependency on the package would be a circle.
 */
function isTestOfEssential({
  home,
  part,
}: Pick<Place, "home" | "part">): boolean {
  const name = `@gantry/plugin-${home.slice("plugins/".length)}`;
  return part === "test" && ESSENTIAL_PLUGINS.includes(name);
}

function refusalForPlugin(
  { home, part }: Pick<Place, "home" | "part">,
  specifier: string,
): string | undefined {
  if (!specifier.startsWith("@gantry/")) return undefined;
  if (isPackage(specifier, "@gantry/plugin", "@gantry/plugin-helpers"))
    return undefined;
  if (
    specifier === "@gantry/agent-folder" ||
    specifier === "@gantry/agent-kit" ||
    specifier === "@gantry/agent-kit/tools"
  )
    return undefined;
  if (isPackage(specifier, "@gantry/ui-kit")) {
    return part === "server"
      ? "Only a plugin's ui/ may import @gantry/ui-kit"
      : undefined;
  }
  if (
    part === "test" &&
    isPackage(
      specifier,
      "@gantry/agent-folder",
      "@gantry/agent-kit",
      "@gantry/build/testing",
      "@gantry/plugin-testing",
      "@gantry/model-server",
      ...(isTestOfEssential({ home, part }) ? ["@gantry/test-support"] : []),
    )
  )
    return undefined;
  if (part === "setting" && isPackage(specifier, "@gantry/build"))
    return undefined;
  if (pluginName(specifier) === undefined) {
    return `A plugin imports of the workspace only @gantry/plugin, @gantry/plugin-helpers, @gantry/agent-folder, @gantry/agent-kit, @gantry/ui-kit in its ui/, and contracts of other plugins; not ${specifier}`;
  }
  if (/^@gantry\/plugin-[a-z0-9-]+\/contract$/.test(specifier))
    return undefined;
  const isOwn = pluginName(specifier) === home.slice("plugins/".length);
  // What is tried may be both plugins together.
  if (
    part === "test" &&
    /^@gantry\/plugin-[a-z0-9-]+(\/testing)?$/.test(specifier) &&
    !isOwn
  )
    return undefined;
  return isOwn
    ? `Import the plugin's own files by a relative path, not as ${specifier}`
    : `Of another plugin only its contract may be imported: ${specifier.split("/").slice(0, 2).join("/")}/contract`;
}

/** What the sources of each package of the kernel may import of the workspace, beside the contract. */
const KERNEL_LAYERS: Record<string, readonly string[]> = {
  "kernel/system": [],
  "kernel/audit": ["@gantry/system"],
  "kernel/store": ["@gantry/system"],
  "kernel/http": ["@gantry/system", "@gantry/store"],
  "kernel/whole-home": ["@gantry/system", "@gantry/store", "@gantry/audit"],
  "kernel/core": [
    "@gantry/system",
    "@gantry/store",
    "@gantry/audit",
    "@gantry/http",
    "@gantry/whole-home",
  ],
  "kernel/cli": [
    "@gantry/system",
    "@gantry/store",
    "@gantry/audit",
    "@gantry/http",
    "@gantry/whole-home",
    "@gantry/kernel",
  ],
};

function refusalForKernel(
  place: Place,
  specifier: string,
  relativeTarget: string | undefined,
): string | undefined {
  if (place.home === "kernel/testing" && ESSENTIAL_PLUGINS.includes(specifier))
    return undefined;
  const ofPlugin = refusalOfPlugins(
    "The kernel imports no plugin, not even for types",
    specifier,
    relativeTarget,
  );
  const allowed = KERNEL_LAYERS[place.home];
  if (ofPlugin || place.part !== "server" || !allowed) return ofPlugin;
  if (relativeTarget !== undefined)
    return refusalOutside(place, relativeTarget);
  if (!specifier.startsWith("@gantry/")) return undefined;
  return isPackage(
    specifier,
    "@gantry/plugin",
    "@gantry/plugin-helpers",
    ...allowed,
  )
    ? undefined
    : `${place.home} stands below ${specifier} and may not import it`;
}

function refusalForContract(
  place: Place,
  specifier: string,
  relativeTarget: string | undefined,
): string | undefined {
  if (relativeTarget !== undefined)
    return refusalOutside(place, relativeTarget);
  // Its tests run with the shared settings, and may use the package by its name.
  const own =
    place.home === "kernel/contract"
      ? "@gantry/plugin"
      : "@gantry/plugin-helpers";
  if (isPackage(specifier, "@gantry/build", own)) return undefined;
  return specifier.startsWith("@gantry/")
    ? `${own} imports nothing of the workspace, not ${specifier}`
    : undefined;
}

function refusalOutside({ home }: Place, target: string): string | undefined {
  if (target === home || target.startsWith(`${home}/`)) return undefined;
  return `This path leaves ${home}; a package is imported by its name`;
}

function refusalOfPlugins(
  rule: string,
  specifier: string,
  relativeTarget: string | undefined,
): string | undefined {
  const isPlugin =
    relativeTarget === undefined
      ? pluginName(specifier) !== undefined
      : relativeTarget.startsWith("plugins/");
  return isPlugin ? `${rule}: ${specifier}` : undefined;
}

/** Packages of the kernel that are named like a plugin. */
const NOT_PLUGINS: ReadonlySet<string> = new Set(["helpers", "testing"]);

/** The id of the plugin that a package belongs to. */
function pluginName(specifier: string): string | undefined {
  const id = /^@gantry\/plugin-([a-z0-9-]+)(\/|$)/.exec(specifier)?.[1];
  return id === undefined || NOT_PLUGINS.has(id) ? undefined : id;
}

function isPackage(specifier: string, ...names: string[]): boolean {
  return names.some(
    (name) => specifier === name || specifier.startsWith(`${name}/`),
  );
}
