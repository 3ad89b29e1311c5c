import { join } from "node:path";
import { definePlugin, type Run } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import { onTestFinished, vi } from "vitest";
import { createGit } from "../../src/create-git.ts";
import type { Git } from "../../src/git.ts";
import { temporaryFolder } from "@gantry/build/testing";

/** The `ctx.run` of a plugin. @param environment Variables of the daemon, until the test is over */
export async function openRun(
  environment: Readonly<Record<string, string>> = {},
): Promise<Run> {
  let run: Run | undefined;
  const probe = definePlugin({
    id: "probe",
    api: 1,
    summary: "Gives what starts programs",
    mounts: [],
    setup: (ctx) => void (run = ctx.run),
  });
  const kernel = await startTestKernel([probe]);
  onTestFinished(() => kernel.stop());
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const [name, value] of Object.entries(environment))
    vi.stubEnv(name, value);
  return run!;
}

/** What reads repositories for a plugin. */
export async function openGit(run?: Run): Promise<Git> {
  return createGit({
    run: run ?? (await openRun()),
    cache: join(await temporaryFolder(), "views"),
  });
}
