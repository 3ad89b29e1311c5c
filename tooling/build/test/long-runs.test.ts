import { join } from "node:path";
import { expect, test } from "vitest";
import { createPackage, runPackage, SOURCES } from "./temporary-package.ts";

const CODE = `
  import { test } from "vitest";
  import { isLongRun } from ${JSON.stringify(join(SOURCES, "testing.ts"))};
  test(\`long: \${isLongRun}\`, () => {});`;

test.each([
  [[], ["each.test.ts > long: false"]],
  [
    ["--mode", "long"],
    ["each.test.ts > long: true", "rare.long.test.ts > long: true"],
  ],
])("a run with %j runs %j", async (options, expected) => {
  const folder = await createPackage({
    "each.test.ts": CODE,
    "rare.long.test.ts": CODE,
  });
  const files = await runPackage(folder, ...options);
  expect(
    files.map(({ file, titles }) => `${file} > ${titles[0]}`).sort(),
  ).toEqual(expected);
});
