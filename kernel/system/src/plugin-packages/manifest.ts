import { readFile } from "node:fs/promises";
import { join, normalize, sep } from "node:path";
import * as z from "zod";
import { issuePath } from "../issue-path.ts";
import { refusalOfVersion } from "./contract-version.ts";
import { isPluginId } from "../plugin-id.ts";

/** A file inside the plugin's own folder. */
const relativeFile = z
  .string()
  .regex(/^\.\/[\w./-]+$/)
  .refine(
    (path) => !normalize(path).split(sep).includes(".."),
    "must stay in the plugin's folder",
  );

const MAX_DESCRIPTION = 120;

/** The part of a plugin's package.json that the kernel reads. */
const PackageManifest = z.object({
  name: z.string().min(1).max(214),
  version: z.string().max(64).default("0.0.0"),
  gantry: z.object({
    /** Version of the plugin contract. */
    api: z.unknown().superRefine((api, context) => {
      const refusal = refusalOfVersion(api);
      if (refusal !== undefined) context.addIssue(refusal);
    }),
    /** Whether it is a part of the daemon itself, as no plugin that was added can be. */
    system: z.literal(true).optional(),
    server: relativeFile.optional(),
    ui: relativeFile.optional(),
    commands: z
      .object({
        /** What is typed behind `gantry`: the id of the plugin, under which its files and settings are. */
        name: z
          .string()
          .refine(isPluginId, "must be the plugin's id, in kebab-case"),
        /** For `gantry --help`, which runs no code of plugins. */
        description: z
          .string()
          .min(1)
          .max(MAX_DESCRIPTION)
          .regex(/^\P{C}*$/u, "must be one line of visible text"),
        file: relativeFile,
      })
      .optional(),
  }),
});

/** Where a plugin comes from: delivered with the daemon, or added to this home by its user. */
export type PluginOrigin = "builtin" | "home";

/** A plugin's package on disk, before any of its code runs. */
export interface PluginPackage {
  /** Name of the folder; what the plugin calls itself is known once it is loaded. */
  readonly name: string;
  readonly folder: string;
  readonly packageName: string;
  readonly version: string;
  readonly origin: PluginOrigin;
  /** Whether it is a part of the daemon itself: it starts before all others, also with `--safe`, and is in no list of them. */
  readonly isSystem: boolean;
  /** Absolute path of the server file. */
  readonly server: string | undefined;
  /** Absolute path of the UI's entry. */
  readonly ui: string | undefined;
  readonly commands: CommandsFile | undefined;
}

/** The commands of a plugin, before any of its code runs. */
export interface CommandsFile {
  readonly name: string;
  readonly description: string;
  /** Absolute path of the file with the default export of `definePluginCommands`. */
  readonly file: string;
}

/**
 * Reads what a folder says of itself.
 *
 * @returns `undefined` if it is no plugin at all.
 * @throws Error in one sentence if it says that it is one and what it says is wrong.
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
  const { commands, system: isSystem = false } = gantry;
  if (isSystem && origin !== "builtin")
    throw new Error("only a plugin that is delivered can be a system plugin");
  const absolute = (path: string | undefined) =>
    path === undefined ? undefined : join(folder, path);
  return {
    name,
    folder,
    packageName,
    version,
    origin,
    isSystem,
    server: absolute(gantry.server),
    ui: absolute(gantry.ui),
    commands: commands && { ...commands, file: join(folder, commands.file) },
  };
}
