import { chromiumPath } from "@gantry/plugin-testing/browser";
import { afterAll, beforeAll, beforeEach, describe } from "vitest";
import { tryComposer } from "./composer.ts";
import { tryEditor } from "./editor.ts";
import { tryList } from "./list.ts";
import { tryLooks } from "./looks.ts";
import { trySending } from "./sending.ts";
import { startStage, type Stage } from "./support/stage.ts";

describe.skipIf(chromiumPath === undefined)("the pages in a browser", () => {
  let stage: Stage | undefined;
  // Shared, since starting it takes longer than most tests: each of them makes what it looks at.
  beforeAll(async () => {
    stage = await startStage();
  });
  beforeEach(() => stage?.reset());
  afterAll(async () => {
    await stage?.[Symbol.asyncDispose]();
  });
  const given = (): Stage => stage!;

  tryList(given);
  tryEditor(given);
  trySending(given);
  tryComposer(given);
  tryLooks(given);
});
