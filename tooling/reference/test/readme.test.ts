import { relative } from "node:path";
import { expect, test } from "vitest";
import { describeAreas } from "../src/areas.ts";
import { compareReadme } from "../src/readme.ts";

const areas = await describeAreas();

test.each(areas.map((area) => [relative("../..", area.readme), area] as const))(
  "%s has the tables that the code gives; `npm run docs` writes them",
  async (_name, area) => {
    const { current, wanted } = await compareReadme(area);
    expect(current).toBe(wanted);
  },
);
