import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { GitCaller } from "./call-git.ts";
import { findWrittenLink } from "./find-written-link.ts";
import { userVariables, writingVariables } from "./forced-settings.ts";
import { failed } from "./failed.ts";
import type { GitResult, GitWriteCommand, GitWriteOptions } from "./git.ts";
import { OWN_VIEW, type GitView } from "./git-views.ts";

/**
 * Runs a command that writes to a repository.
 *
 * @param folder What git is started for; the places of the repository are `own` and `common`.
 */
export async function writeGit(
  caller: GitCaller,
  view: GitView,
  { folder, own, common }: { folder: string; own: string; common: string },
  command: GitWriteCommand,
  args: readonly string[],
  { programs, reachesOut = false, ...options }: GitWriteOptions,
): Promise<GitResult> {
  const words = [command, ...args];
  if (programs)
    return await caller.attempt(folder, words, OWN_VIEW, options, {
      environment: userVariables(process.env),
    });
  const link = await findWrittenLink({ folder: own, common });
  if (link !== undefined)
    return failed(
      `${link} is a link, so git would write to what it leads to; put a file or folder of its own there`,
    );
  await makeFolders(common, command);
  return await caller.attempt(folder, words, view, options, {
    environment: writingVariables(process.env, reachesOut),
  });
}

/** A view links to folders that git makes when it first writes to them, which it cannot through a link. */
async function makeFolders(
  common: string,
  command: GitWriteCommand,
): Promise<void> {
  const names = [
    "logs",
    ...(command === "worktree" ? ["worktrees"] : []),
    ...Array.from(
      { length: 256 },
      (_, byte) => `objects/${byte.toString(16).padStart(2, "0")}`,
    ),
  ];
  await Promise.all(
    names.map((name) => mkdir(join(common, name)).catch(ignoreExisting)),
  );
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
