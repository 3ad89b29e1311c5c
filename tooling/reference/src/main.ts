import { writeFile } from "node:fs/promises";
import { describeAreas } from "./areas.ts";
import { compareReadme } from "./readme.ts";

for (const area of await describeAreas()) {
  const { readme, current, wanted } = await compareReadme(area);
  if (current === wanted) continue;
  await writeFile(readme, wanted);
  console.log(`Wrote ${readme}`);
}
