import { writeFile } from "node:fs/promises";
import { describeAreas } from "./areas.ts";
import { compareDocuments } from "./documents.ts";
import { compareReadme } from "./readme.ts";

const readmes = await Promise.all(
  (await describeAreas()).map(async (area) => {
    const { readme, ...texts } = await compareReadme(area);
    return { path: readme, ...texts };
  }),
);
for (const { path, current, wanted } of [
  ...readmes,
  ...(await compareDocuments()),
]) {
  if (current === wanted) continue;
  await writeFile(path, wanted);
  console.log(`Wrote ${path}`);
}
