import { pathToFileURL } from "node:url";
import type { PluginCommands } from "@gantry/plugin";
import * as z from "zod";
import { issuePath } from "@gantry/system/issue-path";
import { shareModules } from "@gantry/kernel/plugins/share-modules";
import { UserError } from "@gantry/system/user-error";
import type { CommandsPackage } from "./find-plugin-commands.ts";

const WORD = /^[a-z][a-z0-9-]{0,39}$/;
/** Options that each command has. */
const RESERVED_OPTIONS: readonly string[] = ["help", "home"];

const word = z.string().regex(WORD, "must be in kebab-case");

/** What the file of a plugin must export. */
const Commands = z.object({
  name: word,
  description: z.string(),
  commands: z.record(
    word,
    z.object({
      description: z.string(),
      options: z
        .record(
          word.refine(
            (name) => !RESERVED_OPTIONS.includes(name),
            "is the name of an option that each command has",
          ),
          z.object({
            type: z.enum(["string", "boolean", "positional"]),
            description: z.string(),
            required: z.boolean().optional(),
            default: z.union([z.string(), z.boolean()]).optional(),
          }),
        )
        .optional(),
      run: z.custom<() => Promise<void>>(
        (value) => typeof value === "function",
        "must be a function",
      ),
    }),
  ),
});

/**
 * Imports the commands of a plugin.
 *
 * @throws UserError that says why they cannot be used
 */
export async function loadPluginCommands({
  packageName,
  commands: { name, file },
}: CommandsPackage): Promise<PluginCommands> {
  const refuse = (reason: string, cause?: unknown) =>
    new UserError(
      `The command "${name}" of the plugin ${packageName} cannot be used: ${reason}.`,
      { cause },
    );
  // They take zod from the daemon, as the plugin's server does.
  shareModules();
  const module = await (
    import(pathToFileURL(file).href) as Promise<{ default?: PluginCommands }>
  ).catch((cause: unknown) => {
    throw refuse(cause instanceof Error ? cause.message : String(cause), cause);
  });
  const parsed = Commands.safeParse(module.default);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refuse(
      issue?.path.length
        ? `"${issuePath(issue)}": ${reasonOf(issue)}`
        : "its file has no default export made by definePluginCommands",
    );
  }
  if (parsed.data.name !== name)
    throw refuse(`its file calls it "${parsed.data.name}"`);
  // What was checked may be an object with methods, and is used as it is.
  return module.default!;
}

/** What is wrong with the name of an entry is said below it. */
function reasonOf(issue: z.core.$ZodIssue): string {
  const [inner] = issue.code === "invalid_key" ? issue.issues : [];
  return inner?.message ?? issue.message;
}
