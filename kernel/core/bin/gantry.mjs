#!/usr/bin/env node
// Plain JavaScript that any Node can read: an old one gets a clear line here instead of a fault deep inside.
// Not by its name, which an old Node does not know.
import nodeModule from "node:module";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `Gantry needs Node 22.19 or newer; this is ${process.version}. \`npm start\` in a checkout brings its own.`,
  );
  process.exit(1);
}

// Compiled code is kept between starts, which halves the time of the next one.
nodeModule.enableCompileCache(
  fileURLToPath(new URL("../node_modules/.cache/compile", import.meta.url)),
);
// Of what a start makes, most stays: a young generation that grows with it would be a seventh of the memory at rest.
// The optimizing compiler stays on meanwhile: it cannot be switched on again at run time, and without it a request takes
// 1.4 times the processor time. It costs 5 MB at rest, which are pages of Node's own program.
setFlagsFromString("--semi-space-growth-factor=1");
// The engine guesses by where objects are made whether they will live long. It is wrong for those of requests, and what
// it takes for long-lived holds whole requests until the next full collection.
setFlagsFromString("--no-allocation-site-pretenuring");
const { main } = await import("../dist/main.mjs");
await main(process.argv.slice(2));
setFlagsFromString("--semi-space-growth-factor=2");
