#!/usr/bin/env node
// Plain JavaScript that any Node can read: an old one gets a clear line here instead of a fault deep inside.
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `Gantry needs Node 22.19 or newer; this is ${process.version}. \`npm start\` in a checkout brings its own.`,
  );
  process.exit(1);
}

// Compiled code is kept between starts, which halves the time of the next one.
enableCompileCache(
  fileURLToPath(new URL("../node_modules/.cache/compile", import.meta.url)),
);
const { main } = await import("../dist/main.mjs");
await main(process.argv.slice(2));
