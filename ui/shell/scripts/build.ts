import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compressFolder } from "./compressFolder.ts";
import { writeTailwindParts } from "./writeTailwindParts.ts";

// `nuxt generate`, then what the daemon needs beside the files that it serves.
const root = join(import.meta.dirname, "..");
const publicFolder = join(root, "dist/public");

rmSync(join(root, "dist"), { recursive: true, force: true });
const { status } = spawnSync("nuxt", ["generate"], {
  cwd: root,
  stdio: "inherit",
  shell: process.platform === "win32",
});
if (status !== 0) process.exit(status ?? 1);

// One page answers every path. The time of the build in it would make each build another one.
const page = readFileSync(join(publicFolder, "200.html"), "utf8").replace(
  /("serverRendered":\d+\}),\d{13},/,
  "$1,0,",
);
for (const name of ["200.html", "index.html"])
  writeFileSync(join(publicFolder, name), page);
rmSync(join(publicFolder, "404.html"));

writeTailwindParts(root);
compressFolder(publicFolder);
