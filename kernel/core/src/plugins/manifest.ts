import { readFile } from "node:fs/promises";
import { join, normalize, sep } from "node:path";
import * as z from "zod";
import { issuePath } from "@gantry/system/issue-path";
import { isPluginId } from "@gantry/store/plugin-id";

/** A file inside the plugin's own folder. */
const relativeFile = z
  .string()
  .regex(/^\.\/[\w./-]+$/)
  .refine(
    (path) => !normalize(path).split(sep).includes(".."),
    "must stay in the plugin's folder",
  );

const MAX_DESCRIPTION = 120;

const visibleLine = z
  .string()
  .min(1)
  .max(MAX_DESCRIPTION)
  .regex(/^\P{C}*$/u, "must be one line of visible text");

/** Programs that a plugin uses if they are installed: all of them, or one of several alternatives. */
const UsedPrograms = z.object({
  /** Names to look up on the PATH. */
  programs: z
    .array(z.string().regex(/^[\w.+-]+$/, "must be the name of a program"))
    .min(1)
    .max(20),
  /** The finding of the doctor if none of them is installed. */
  missing: z
    .object({
      code: z.string().regex(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/),
      what: visibleLine,
    })
    .optional(),
});
export type UsedPrograms = z.infer<typeof UsedPrograms>;

/** The part of a plugin's package.json that the kernel reads. */
const PackageManifest = z.object({
  name: z.string().min(1).max(214),
  version: z.string().max(64).default("0.0.0"),
  gantry: z.object({
    /** Version of the plugin contract. */
    api: z.literal(1),
    server: relativeFile.optional(),
    ui: relativeFile.optional(),
    commands: z
      .object({
        /** First argument of `gantry`: the id of the plugin, which names its files and settings. */
        name: z
          .string()
          .refine(isPluginId, "must be the plugin's id, in kebab-case"),
        /** Shown by `gantry --help`, which loads no code of plugins. */
        description: visibleLine,
        file: relativeFile,
      })
      .optional(),
    uses: z.array(UsedPrograms).max(20).default([]),
    /** Whether it also runs with `--safe` and `--plugins`. Ignored for an added plugin. */
    essential: z.boolean().default(false),
  }),
});

/** Origin of a plugin: bundled with the daemon, or added to this home by the user. */
export type PluginOrigin = "builtin" | "home";

/** A plugin's package on disk, before any of its code runs. */
export interface PluginPackage {
  /** Name of the folder. The id of the plugin is known once its code is loaded. */
  readonly name: string;
  readonly folder: string;
  readonly packageName: string;
  readonly version: string;
  readonly origin: PluginOrigin;
  /** Absolute path of the server file. */
  readonly server: string | undefined;
  /** Absolute path of the UI's entry. */
  readonly ui: string | undefined;
  readonly commands: CommandsFile | undefined;
  /** Programs that it uses. */
  readonly uses: readonly UsedPrograms[];
  /** Whether it also runs with `--safe` and `--plugins`. Never true for an added plugin. */
  readonly isEssential: boolean;
}

/** The commands of a plugin, before any of its code runs. */
export interface CommandsFile {
  readonly name: string;
  readonly description: string;
  /** Absolute path of the file with the default export of `definePluginCommands`. */
  readonly file: string;
}

/**
 * Reads the manifest of a plugin from its folder.
 *
 * @returns `undefined` if the folder is no plugin
 * @throws Error in one sentence if the manifest is not valid
 */
export async function readPluginPackage(
  folder: string,
  name: string,
  origin: PluginOrigin,
): Promise<PluginPackage | undefined> {
  const text = await readFile(join(folder, "package.json"), "utf8").catch(
    () => undefined,
  );
  if (text === undefined) return undefined;
  const json = JSON.parse(text) as Record<string, unknown>;
  if (!("gantry" in json)) return undefined;
  const parsed = PackageManifest.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(
      `its package.json does not fit: "${issuePath(issue)}": ${issue?.message}`,
    );
  }
  const { name: packageName, version, gantry } = parsed.data;
  const { commands, uses } = gantry;
  const absolute = (path: string | undefined) =>
    path === undefined ? undefined : join(folder, path);
  return {
    name,
    folder,
    packageName,
    version,
    origin,
    server: absolute(gantry.server),
    ui: absolute(gantry.ui),
    commands: commands && { ...commands, file: join(folder, commands.file) },
    uses,
    isEssential: gantry.essential && origin === "builtin",
  };
}
