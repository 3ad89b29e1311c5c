import { expect, test } from "vitest";
import { createPackage, runPackage } from "./temporary-package.ts";

test("files that drive a browser begin first, however short they are", async () => {
  const code = `import { test } from "vitest"; test("it runs", () => {});`;
  const folder = await createPackage({
    "large.test.ts": `${code} // ${"x".repeat(10_000)}`,
    "browser/pages.test.ts": code,
    "small.test.ts": code,
  });
  const files = await runPackage(folder, "--maxWorkers=1");
  const [first, ...others] = files.toSorted(
    (one, other) => one.startTime - other.startTime,
  );
  expect(first?.file).toBe("browser/pages.test.ts");
  expect(others).toHaveLength(2);
});
