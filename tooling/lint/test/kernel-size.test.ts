import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const CORE = fileURLToPath(
  new URL("../../../kernel/core/src/", import.meta.url),
);

/** Lines of `kernel/core/src`. The number only gets smaller, down to 3,500: what is no part of a small kernel moves out. */
const MAX_CORE_LINES = 6_111;

test("the core of the kernel stays small", () => {
  const files = readdirSync(CORE, { recursive: true, encoding: "utf8" });
  const lines = files
    .filter((file) => file.endsWith(".ts"))
    .map(
      (file) => readFileSync(join(CORE, file), "utf8").split("\n").length - 1,
    );
  expect(lines.length).toBeGreaterThan(10);
  const total = lines.reduce((sum, count) => sum + count, 0);
  expect(total).toBeLessThanOrEqual(MAX_CORE_LINES);
});
