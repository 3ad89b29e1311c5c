#!/usr/bin/env node
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

// The compiler without an API has its own name, so that it stands beside the one that other tools load.
const require = createRequire(import.meta.url);
const folder = dirname(require.resolve("typescript-native/package.json"));
// Several checkers would check the types that they share again, and packages are checked side by side anyway.
const args = [
  ...[join(folder, "bin/tsc"), "--noEmit", "--singleThreaded"],
  ...process.argv.slice(2),
];
const child = spawn(process.execPath, args, { stdio: "inherit" });
child.on("exit", (code) => (process.exitCode = code ?? 1));
