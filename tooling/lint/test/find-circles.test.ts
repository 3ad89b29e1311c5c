import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { findCircles } from "../src/find-circles.ts";
import { readImports } from "../src/read-imports.ts";

/** Writes files and reads what they import. */
function importsOf(files: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), "gantry-circles-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, code] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), code);
  }
  return readImports(root, Object.keys(files));
}

it.each([
  ["a value", 'import { b } from "./b.ts";'],
  ["a type", 'import type { B } from "./b.ts";'],
  ["the type of a module", 'export type B = import("./b.ts").B;'],
  ["a module that is loaded later", 'export const b = () => import("./b.ts");'],
  ["what it exports again", 'export { b } from "./b.ts";'],
])("finds a circle of two files where one imports %s", (_what, code) => {
  const imports = importsOf({
    "src/a.ts": code,
    "src/b.ts": 'import "./a.ts";',
  });
  expect(findCircles(imports)).toEqual([["src/a.ts", "src/b.ts"]]);
});

it("finds the shortest circle of each group, through other folders and pages", () => {
  const imports = importsOf({
    "src/start.ts": 'import "./page/One.vue";',
    "src/page/One.vue":
      '<script lang="ts">\nexport {};\n</script>\n<script setup lang="ts">\nimport Two from "../Two.vue";\n</script>',
    "src/Two.vue":
      '<script setup lang="ts">\nimport "./three.mjs";\nimport "./page/One.vue";\n</script>',
    "src/three.mjs": 'import "./page/One.vue";',
    "src/self.ts": 'import { self } from "./self.ts";',
  });
  expect(findCircles(imports)).toEqual([
    ["src/page/One.vue", "src/Two.vue"],
    ["src/self.ts"],
  ]);
});

it("finds none where files only share others, or mention an import", () => {
  const imports = importsOf({
    "top.ts": 'import "./left.ts";\nimport "./right.ts";',
    "left.ts": 'import "./below.ts";',
    "right.ts": 'import "./below.ts";\nimport "vue";',
    "below.ts":
      '// import "./top.ts";\nexport const code = `import "./top.ts";`;',
  });
  expect(findCircles(imports)).toEqual([]);
});

it("lets only the allowed import close a circle", () => {
  const imports = importsOf({
    "view/Blocks.vue":
      '<script setup>\nimport A from "../blocks/A.vue";\n</script>',
    "blocks/A.vue":
      '<script setup>\nimport Blocks from "../view/Blocks.vue";\n</script>',
    "blocks/b.ts": 'import "./c.ts";',
    "blocks/c.ts": 'import "./b.ts";',
  });
  const allowed = [
    { from: "blocks/", to: "view/Blocks.vue", reason: "A block has blocks." },
  ];
  expect(findCircles(imports, allowed)).toEqual([
    ["blocks/b.ts", "blocks/c.ts"],
  ]);
});

it("passes over a file that a build has removed in the meantime", () => {
  expect(readImports(tmpdir(), ["gantry-gone/a.ts"])).toEqual(
    new Map([["gantry-gone/a.ts", []]]),
  );
});
