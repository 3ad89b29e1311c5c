import { createGit } from "../../src/git/git.ts";
import { openGitViews } from "../../src/git/git-views.ts";
import { createTestRun } from "./processes.ts";
import { temporaryFolder } from "./temporary.ts";

/** The `git` of a plugin without a daemon round it. */
export async function openGit(environment: NodeJS.ProcessEnv = process.env) {
  const { run } = await createTestRun(environment);
  const views = openGitViews(await temporaryFolder());
  return createGit({ run, views, environment });
}
