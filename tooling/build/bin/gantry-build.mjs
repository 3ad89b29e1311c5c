#!/usr/bin/env node
// Plain JavaScript that any Node can read, so that an old one gets a sentence and not a stack.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `gantry-build needs Node 22.19 or newer; this is ${process.version}.`,
  );
  process.exit(1);
}

const { runCommand } = await import("../dist/index.mjs");
process.exitCode = await runCommand(process.argv.slice(2));
