import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findCircles } from "./find-circles.ts";
import type { AllowedImport } from "./find-circles.ts";
import { readImports } from "./read-imports.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const SOURCES = "{e2e,kernel,plugins,tooling,ui}/**/*.{mjs,ts,vue}";
const MADE = new Set([
  "node_modules",
  "dist",
  ".nuxt",
  ".output",
  ".turbo",
  "artifacts",
]);

/** Imports that may close a circle. The list only shrinks. */
const ALLOWED: readonly AllowedImport[] = [
  {
    from: "plugins/apps/ui/blocks/",
    to: "plugins/apps/ui/view/AppBlocks.vue",
    reason: "Tabs, stacks and splits are blocks that contain blocks.",
  },
];

const files = globSync(SOURCES, {
  cwd: ROOT,
  exclude: (path) => MADE.has(path.replace(/^.*[\\/]/, "")),
}).map((path) => path.replaceAll("\\", "/"));
const imports = readImports(ROOT, files);
const circles = findCircles(imports, ALLOWED);
for (const circle of circles) {
  console.error("These files import each other in a circle:");
  for (const file of circle) console.error(`  ${file}`);
}
if (circles.length > 0)
  console.error(
    "Move what two of them need from each other to a file below both.",
  );
const needless = ALLOWED.filter(
  (one) =>
    findCircles(
      imports,
      ALLOWED.filter((other) => other !== one),
    ).length === circles.length,
);
for (const { from, to } of needless)
  console.error(`No circle needs the exception for ${from} to ${to} any more.`);
process.exitCode = circles.length + needless.length > 0 ? 1 : 0;
