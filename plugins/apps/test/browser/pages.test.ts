import { chromiumPath } from "@gantry/plugin-testing/browser";
import { afterAll, beforeAll, describe } from "vitest";
import { tryForms } from "./forms.ts";
import { tryGrid } from "./grid.ts";
import { tryLive } from "./live.ts";
import { tryLooks } from "./looks.ts";
import { tryPages } from "./pages.ts";
import { tryRows } from "./rows.ts";
import { startStage, type Stage } from "./support/stage.ts";

describe.skipIf(chromiumPath === undefined)("the pages in a browser", () => {
  let stage: Stage | undefined;
  // One browser and one kernel for all of them.
  beforeAll(async () => {
    stage = await startStage();
  });
  afterAll(async () => {
    await stage?.[Symbol.asyncDispose]();
  });
  const given = (): Stage => stage!;

  tryGrid(given);
  tryPages(given);
  tryRows(given);
  tryForms(given);
  tryLive(given);
  tryLooks(given);
});
