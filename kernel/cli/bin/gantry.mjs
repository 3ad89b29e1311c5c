#!/usr/bin/env node
// Plain JavaScript that any Node can read: an old one gets a clear line here instead of a fault deep inside.
// Not by its name, which an old Node does not know.
import { access } from "node:fs";
import nodeModule from "node:module";
import { fileURLToPath } from "node:url";

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
// Threads for calls of the file system, which share them: with the usual four, one disk that does not answer holds them
// all, and many more make each call slower. They are made with the first such call, and children get the variable as the user has it.
const { UV_THREADPOOL_SIZE } = process.env;
process.env.UV_THREADPOOL_SIZE = UV_THREADPOOL_SIZE ?? "12";
access(".", () => {});
if (UV_THREADPOOL_SIZE === undefined) delete process.env.UV_THREADPOOL_SIZE;
const { main } = await import("../dist/main.mjs");
await main(process.argv.slice(2));
