import { readFile } from "node:fs/promises";
import type { CommandInput, CommandOption } from "@gantry/plugin";

export const folderOption: CommandOption = {
  type: "string",
  description:
    "Backup folder, instead of the one in the settings; while no daemon runs",
};

export const jsonOption: CommandOption = {
  type: "boolean",
  description: "Print one line of JSON",
};

export const passphraseOption: CommandOption = {
  type: "string",
  description:
    "File with the passphrase in its first line, instead of asking for it",
};

/** An option that takes a text; `undefined` if it was not given. */
export function textOf(
  { args }: Pick<CommandInput, "args">,
  name: string,
): string | undefined {
  const value = args[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The passphrase of the file that was named; `undefined` if none was. */
export async function readPassphrase(
  input: CommandInput,
): Promise<string | undefined> {
  const file = textOf(input, "passphrase-file");
  if (file === undefined) return undefined;
  const [line = ""] = (await readFile(file, "utf8")).split(/\r?\n/, 1);
  if (line === "") throw new Error(`${file} has no passphrase in it.`);
  return line;
}

/**
 * Does work that may need a passphrase: with the one of the file that was named, or without any and, if that is not enough, with
 * the one that the user types.
 */
export async function withPassphrase<Result>(
  input: CommandInput,
  work: (passphrase: string | undefined) => Promise<Result>,
): Promise<Result> {
  const given = await readPassphrase(input);
  try {
    return await work(given);
  } catch (error) {
    if (given !== undefined || codeOf(error) !== "BACKUP_PASSPHRASE_MISSING")
      throw error;
    const typed = await input.askSecret("Passphrase of the snapshots: ");
    if (!typed) throw error;
    return await work(typed);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error
    ? (error as { code?: unknown }).code
    : undefined;
}
