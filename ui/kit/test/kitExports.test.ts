import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import * as kit from "../src/index.ts";
import { kitExports } from "../src/kitExports.ts";

test("what plugins may import is what the package exports", () => {
  expect([...kitExports]).toEqual(Object.keys(kit).sort());
});

test("every promised component exists and is in one group", () => {
  const components = join(
    dirname(
      createRequire(import.meta.url).resolve("@nuxt/ui/runtime/index.css"),
    ),
    "components",
  );
  const names = Object.values(kit.promisedComponents).flat();
  expect(new Set(names).size).toBe(names.length);
  expect(
    names.filter(
      (name) => !existsSync(join(components, `${name.slice(1)}.vue`)),
    ),
  ).toEqual([]);
});

test("templates know the types of exactly the promised components", () => {
  const source = readFileSync(
    join(import.meta.dirname, "../src/globalComponents.ts"),
    "utf8",
  );
  const typed = [...source.matchAll(/^ {4}(U\w+): typeof \1;$/gm)].map(
    ([, name]) => name,
  );
  expect(typed.sort()).toEqual(
    [...Object.values(kit.promisedComponents).flat()].sort(),
  );
});
