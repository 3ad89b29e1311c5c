import { resolve } from "node:path";
import { isGantryError } from "@gantry/plugin";
import { gitErrors } from "../errors.ts";
import { findRepository } from "../find-repository.ts";
import { GIT_CWD, readingVariables } from "../forced-settings.ts";
import { GitViews, printsPaths } from "../git-views.ts";
import { planReadingGit } from "../plan-reading-git.ts";
import { runInPlace } from "./run-in-place.ts";

/**
 * The `git` on the `PATH` of an agent that may only read, which a program of a plugin calls with its arguments. A reading
 * call runs on a view, as the plugin's own calls do. Any other call runs unchanged: the agent's CLI has asked for it, and it
 * was allowed.
 *
 * @returns the exit code
 */
export async function runReadingGit(args: readonly string[]): Promise<number> {
  try {
    return await run(args);
  } catch (error) {
    const reason = isGantryError(error) ? error.message : String(error);
    process.stderr.write(`fatal: ${reason}\n`);
    return 128;
  }
}

/** Takes the path of the real git, the `GIT_DIR` of the environment, the folder of views, and git's own arguments. */
async function run([
  git = "",
  noRepository = "",
  views = "",
  ...args
]: readonly string[]): Promise<number> {
  if (git === "") throw gitErrors.GIT_MISSING();
  const { GIT_DIR, ...environment } = process.env;
  const plan = planReadingGit(args);
  // Set by a git that was allowed to run and now runs a hook, together with the index that the hook has to read.
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
