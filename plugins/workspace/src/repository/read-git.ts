import type { Git, GitCommand, GitOptions, GitResult } from "@gantry/plugin";
import { errors } from "../errors.ts";

/** Runs a reading command that is to succeed. @throws GIT_FAILED */
export async function readGit(
  git: Git,
  folder: string,
  command: GitCommand,
  args: readonly string[],
  options?: GitOptions,
): Promise<GitResult> {
  const result = await git(folder, command, args, options);
  // What is cut short ends as git likes.
  if (result.code !== 0 && !result.truncated)
    throw errors.GIT_FAILED({ command });
  return result;
}

/** The fields of an output that ends each with a NUL. What was cut off in the middle is left out. */
export function splitFields({ stdout, truncated }: GitResult): string[] {
  const fields = stdout.split("\0");
  const last = fields.pop();
  if (last && !truncated) fields.push(last);
  return fields;
}
