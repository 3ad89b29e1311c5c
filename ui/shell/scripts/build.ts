import { spawnSync } from "node:child_process";
import {
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { compressFolder } from "./compressFolder.ts";
import { writeTailwindParts } from "./writeTailwindParts.ts";

// `nuxt generate`, then what the daemon needs beside the files that it serves.
const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const made = join(root, ".nuxt/made");
const publicFolder = join(made, "public");

rmSync(made, { recursive: true, force: true });
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

writeTailwindParts(root, join(made, "tailwind"));
compressFolder(publicFolder);

// A daemon may serve the last build meanwhile, which is therefore there until this one is whole.
const last = join(root, ".nuxt/last");
rmSync(last, { recursive: true, force: true });
if (existsSync(dist)) renameSync(dist, last);
renameSync(made, dist);
rmSync(last, { recursive: true, force: true });
