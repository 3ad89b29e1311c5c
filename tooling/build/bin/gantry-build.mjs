#!/usr/bin/env node
// Plain JavaScript that any Node can read, so that an old one gets a sentence and not a stack.
import nodeModule from "node:module";
import { fileURLToPath } from "node:url";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `gantry-build needs Node 22.19 or newer; this is ${process.version}.`,
  );
  process.exit(1);
}

// Loading the compilers takes longer than a small plugin takes to build.
nodeModule.enableCompileCache(
  fileURLToPath(new URL("../node_modules/.cache/compile", import.meta.url)),
);
const { runCommand } = await import("../dist/index.mjs");
process.exitCode = await runCommand(process.argv.slice(2));
