import { chromiumPath } from "@gantry/plugin-testing/browser";
import { afterAll, beforeAll, describe } from "vitest";
import { tryLooks } from "./looks.ts";
import { tryOverview } from "./overview.ts";
import { tryRestoring } from "./restoring.ts";
import { trySetup } from "./setup.ts";
import { tryShared } from "./shared-folder.ts";
import { startScriptedStage, type ScriptedStage } from "./support/stage.ts";

describe.skipIf(chromiumPath === undefined)(
  "the pages on a scripted server",
  () => {
    let stage: ScriptedStage | undefined;
    // One browser and one kernel for all of them.
    beforeAll(async () => {
      stage = await startScriptedStage();
    });
    afterAll(async () => {
      await stage?.[Symbol.asyncDispose]();
    });
    const given = (): ScriptedStage => stage!;

    trySetup(given);
    tryOverview(given);
    tryRestoring(given);
    tryShared(given);
    tryLooks(given);
  },
);
