import { chromiumPath } from "@gantry/plugin-testing/browser";
import { describe } from "vitest";
import { createVisits } from "../support/visits.ts";
import { tryCalls } from "./calls.ts";
import { tryDescribe } from "./describe.ts";
import { tryDetail } from "./detail.ts";
import { tryEditor } from "./editor.ts";
import { tryList } from "./list.ts";
import { tryLooks } from "./looks.ts";

describe.skipIf(chromiumPath === undefined)("the pages in a browser", () => {
  // One browser and one daemon for all of them.
  const visits = createVisits();
  tryDescribe(visits);
  tryEditor(visits);
  tryList(visits);
  tryDetail(visits);
  tryCalls(visits);
  tryLooks(visits);
});
