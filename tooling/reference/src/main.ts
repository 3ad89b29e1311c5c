import { writeFile } from "node:fs/promises";
import { describeProduct } from "./areas.ts";
import { compareDocuments } from "./documents.ts";
import { compareReadme } from "./readme.ts";

const product = await describeProduct();
const readmes = await Promise.all(
  product.areas.map(async (area) => {
    const { readme, ...texts } = await compareReadme(area);
    return { path: readme, ...texts };
  }),
);
for (const { path, current, wanted } of [
  ...readmes,
  ...(await compareDocuments(product)),
]) {
  if (current === wanted) continue;
  await writeFile(path, wanted);
  console.log(`Wrote ${path}`);
}
