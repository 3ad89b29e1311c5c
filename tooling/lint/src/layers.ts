import { posix, relative, sep } from "node:path";

/** Where a file stands in the repository. */
export interface Place {
  /** Path from the root, with slashes. */
  path: string;
  /** Folder of the package that it belongs to. */
  home: string;
  layer: "plugin" | "contract" | "testing" | "kernel" | "ui" | "other";
  /** For a plugin: which part. `setting` is a file beside `src`, such as `vitest.config.ts`. */
  part: "server" | "ui" | "test" | "setting";
}

/** Packages of the kernel, from the lowest to the highest. Each imports of the workspace the contract and those below. */
const KERNEL_PACKAGES = new Map([
  ["system", "@gantry/system"],
  ["store", "@gantry/store"],
  ["http", "@gantry/http"],
  ["restore", "@gantry/restore"],
  ["core", "@gantry/kernel"],
  ["cli", "@gantry/cli"],
]);

/** A library below `plugins/` for the kernel's store alone, which loads it for a store outside of SQLite. */
const STORAGE = {
  home: "plugins/storage-unstorage",
  name: "@gantry/storage-unstorage",
};

const KERNEL_RULE = "The kernel imports no plugin, not even for types";

/** Finds the place of a file from the folders of the repository. */
export function placeOf(root: string, file: string): Place {
  const path = relative(root, file).split(sep).join("/");
  const [first = "", second = "", third = ""] = path.split("/");
  const part =
    third === "src"
      ? "server"
      : third === "ui"
        ? "ui"
        : third === "test"
          ? "test"
          : "setting";
  if (first === "plugins")
    return { path, home: `plugins/${second}`, layer: "plugin", part };
  if (first === "ui")
    return { path, home: `ui/${second}`, layer: "ui", part: "ui" };
  if (first !== "kernel")
    return { path, home: ".", layer: "other", part: "setting" };
  if (second === "contract")
    return { path, home: "kernel/contract", layer: "contract", part: "server" };
  if (second === "testing")
    return { path, home: "kernel/testing", layer: "testing", part: "server" };
  return { path, home: `kernel/${second}`, layer: "kernel", part };
}

/** Says why a file at this place may not import a module, `undefined` if it may. */
export function refusal(place: Place, specifier: string): string | undefined {
  const relativeTarget = /^\.\.?(\/|$)/.test(specifier)
    ? posix.join(posix.dirname(place.path), specifier)
    : undefined;
  switch (place.layer) {
    case "plugin":
      // The test kernel cannot be a dependency of it, since it depends on the kernel.
      if (
        place.home === STORAGE.home &&
        place.part === "test" &&
        relativeTarget?.startsWith("kernel/testing/")
      )
        return undefined;
      return relativeTarget === undefined
        ? refusalForPlugin(place, specifier)
        : refusalOutside(place, relativeTarget);
    case "contract":
      return refusalForContract(place, specifier, relativeTarget);
    case "kernel":
      return (
        refusalOfPlugins(KERNEL_RULE, specifier, relativeTarget) ??
        refusalForKernel(place, specifier, relativeTarget)
      );
    case "testing":
      // A test kernel has the parts of the daemon that are plugins.
      return isPackage(
        specifier,
        "@gantry/plugin-doctor",
        "@gantry/plugin-shell",
      )
        ? undefined
        : refusalOfPlugins(KERNEL_RULE, specifier, relativeTarget);
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

function refusalForPlugin(
  { home, part }: Place,
  specifier: string,
): string | undefined {
  if (!specifier.startsWith("@gantry/")) return undefined;
  if (specifier === "@gantry/plugin" || specifier.startsWith("@gantry/plugin/"))
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
      "@gantry/build/testing",
      "@gantry/plugin-testing",
      "@gantry/model-server",
    )
  )
    return undefined;
  if (part === "setting" && isPackage(specifier, "@gantry/build"))
    return undefined;
  const library = libraryName(specifier);
  if (library !== undefined && part !== "ui")
    return library === ownName(home)
      ? `Import the library's own files by a relative path, not as ${specifier}`
      : undefined;
  if (pluginName(specifier) === undefined) {
    return `A plugin imports of the workspace only @gantry/plugin, @gantry/ui-kit in its ui/, libraries of plugins in its src/, and contracts of other plugins; not ${specifier}`;
  }
  if (/^@gantry\/plugin-[a-z0-9-]+\/contract$/.test(specifier))
    return undefined;
  const own = pluginName(specifier) === ownName(home);
  return own
    ? `Import the plugin's own files by a relative path, not as ${specifier}`
    : `Of another plugin only its contract may be imported: ${specifier.split("/").slice(0, 2).join("/")}/contract`;
}

function refusalForContract(
  place: Place,
  specifier: string,
  relativeTarget: string | undefined,
): string | undefined {
  if (relativeTarget !== undefined)
    return refusalOutside(place, relativeTarget);
  // Its tests run with the shared settings, and may use the package by its name.
  if (isPackage(specifier, "@gantry/build", "@gantry/plugin")) return undefined;
  return specifier.startsWith("@gantry/")
    ? `The contract imports nothing of the workspace, not ${specifier}`
    : undefined;
}

function refusalForKernel(
  place: Place,
  specifier: string,
  relativeTarget: string | undefined,
): string | undefined {
  // Tests share helpers, and those of the lower packages start whole kernels too.
  if (place.part !== "server") return undefined;
  if (relativeTarget !== undefined)
    return refusalOutside(place, relativeTarget);
  const names = [...KERNEL_PACKAGES.values()];
  const own = KERNEL_PACKAGES.get(place.home.slice("kernel/".length)) ?? "";
  const allowed = [
    "@gantry/plugin",
    ...names.slice(0, names.indexOf(own)),
    ...(own === "@gantry/store" ? [STORAGE.name] : []),
  ];
  return specifier.startsWith("@gantry/") && !isPackage(specifier, ...allowed)
    ? `${own} imports of the workspace only ${allowed.join(" and ")}, not ${specifier}`
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
      ? (pluginName(specifier) ?? libraryName(specifier)) !== undefined
      : relativeTarget.startsWith("plugins/");
  return isPlugin ? `${rule}: ${specifier}` : undefined;
}

/** The id of the plugin that a package belongs to. The kernel's test package only has a name like one. */
function pluginName(specifier: string): string | undefined {
  const id = /^@gantry\/plugin-([a-z0-9-]+)(\/|$)/.exec(specifier)?.[1];
  return id === "testing" ? undefined : id;
}

/** The name of a library for plugins: a package below `plugins/` without a manifest, built on the contract alone. */
function libraryName(specifier: string): string | undefined {
  const name = /^@gantry\/([a-z0-9-]+-kit)(\/|$)/.exec(specifier)?.[1];
  return name === "ui-kit" ? undefined : name;
}

/** The folder's name below `plugins/`. */
function ownName(home: string): string {
  return home.slice("plugins/".length);
}

function isPackage(specifier: string, ...names: string[]): boolean {
  return names.some(
    (name) => specifier === name || specifier.startsWith(`${name}/`),
  );
}
