import { createGit } from "../../src/git/git.ts";
import { openGitViews } from "../../src/git/git-views.ts";
import { createTestRun } from "./processes.ts";
import { temporaryFolder } from "@gantry/test-support/temporary";

/** The `git` of a plugin, without a daemon. */
export async function openGit(environment: NodeJS.ProcessEnv = process.env) {
  const { run } = await createTestRun(environment);
  const views = openGitViews(await temporaryFolder());
  return createGit({ run, views, environment });
}
