#!/usr/bin/env node
// Plain JavaScript that any Node can read, so that an old one gets a sentence and not a stack.
import { existsSync } from "node:fs";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `create-gantry-plugin needs Node 22.19 or newer; this is ${process.version}.`,
  );
  process.exit(1);
}

// In a checkout it runs as it is written, so that nothing has to be built before a plugin is made.
const source = new URL("../src/command.ts", import.meta.url);
const built = new URL("../dist/command.mjs", import.meta.url);
try {
  const { runCommand } = await import(existsSync(source) ? source : built);
  process.exitCode = await runCommand(process.argv.slice(2));
} catch (error) {
  if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
  console.error(
    `create-gantry-plugin: a package that it needs is not installed; run pnpm install first (${error.message}).`,
  );
  process.exitCode = 1;
}
