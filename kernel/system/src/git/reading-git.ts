// A program: the `git` on the PATH of an agent that may only read. A reading call uses a view, like the daemon's own
// calls. Any other call runs unchanged: the agent's CLI has asked for permission, and it was granted.
import { resolve } from "node:path";
import { isGantryError } from "@gantry/plugin";
import { planReadingGit } from "@gantry/plugin-helpers/reading-git";
import { errors } from "../errors.ts";
import { runInPlace } from "../processes/run-in-place.ts";
import { findRepository } from "./find-repository.ts";
import { GIT_CWD, readingVariables } from "./forced-settings.ts";
import { GitViews, printsPaths } from "./git-views.ts";

await main(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    process.exitCode = 128;
    const reason = isGantryError(error) ? error.message : String(error);
    process.stderr.write(`fatal: ${reason}\n`);
  },
);

/**
 * Parameters: the path of the real git, the `GIT_DIR` of the environment, the folder of views, and git's own arguments.
 */
async function main([
  git = "",
  noRepository = "",
  views = "",
  ...args
]: readonly string[]): Promise<number> {
  if (git === "") throw errors.GIT_MISSING();
  const { GIT_DIR, ...environment } = process.env;
  const plan = planReadingGit(args);
  // Set by a git that was allowed to run and is now running a hook, together with the index that the hook has to read.
  if (GIT_DIR !== undefined && GIT_DIR !== noRepository)
    return await runInPlace(git, args, { env: process.env });
  if (!plan) return await runInPlace(git, args, { env: environment });
  const cwd = resolve(...plan.folders);
  const env = { ...environment, ...readingVariables(environment) };
  const repository = await findRepository(cwd);
  const words = ["-C", cwd, ...plan.args];
  if (!repository)
    return await runInPlace(git, words, {
      cwd: GIT_CWD,
      env: { ...env, GIT_DIR: `${noRepository}/none` },
    });
  const view = await new GitViews(async () => views).open(repository);
  if (typeof view === "string") throw new Error(view);
  return await runInPlace(git, words, {
    cwd: GIT_CWD,
    env: { ...env, ...view.variables },
    ...(printsPaths(plan.args[0]) && { rewrite: view.showRealPaths }),
  });
}
