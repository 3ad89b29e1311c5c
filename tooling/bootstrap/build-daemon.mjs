import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { rootFolder } from "./shell.mjs";
import { createTreeStamp } from "./tree-stamp.mjs";
import { prepareCache } from "./turbo.mjs";

/** Everything that the daemon's build depends on, and where it is put. */
const DAEMON_TREE = [
  "package.json",
  "pnpm-lock.yaml",
  "pnpm-workspace.yaml",
  "tsconfig.base.json",
  "turbo.json",
  "tooling/bootstrap/package.json",
  "tooling/build",
  "kernel",
  "plugins",
  "ui",
];
/** Folders of the packages that are built, as turbo names them. */
export const FILTERS = ["./kernel/*", "./plugins/*", "./ui/*"];

/** Builds everything the daemon serves and nothing that only tests need, if any of it changed. */
export async function buildDaemon({ env }) {
  const stamp = createTreeStamp(
    join(rootFolder, "node_modules/.gantry-build-stamp"),
    DAEMON_TREE.map((path) => join(rootFolder, path)),
  );
  if (stamp.isFresh()) return;
  await stamp.build(() => runBuild(env));
}

async function runBuild(env) {
  const start = performance.now();
  const progress = createProgress(process.stderr);
  const child = spawn(
    "pnpm",
    [
      ...["exec", "turbo", "run", "build", `--cache-dir=${prepareCache()}`],
      ...FILTERS.map((path) => `--filter=${path}`),
    ],
    {
      cwd: rootFolder,
      env,
      stdio: ["ignore", "pipe", "inherit"],
      shell: process.platform === "win32",
    },
  );
  const lines = [];
  createInterface(child.stdout).on("line", (line) => {
    lines.push(line);
    progress.read(line);
  });
  const [code] = await once(child, "close");
  if (code !== 0) {
    process.stderr.write(`\n${selectFailed(lines).join("\n")}\n`);
    process.exit(code ?? 1);
  }
  const seconds = Math.round((performance.now() - start) / 1000);
  progress.end(`Built in ${seconds} s.`);
}

/**
 * The lines of turbo's output that come from failed tasks; all lines if no task failed.
 *
 * @param {readonly string[]} lines
 */
export function selectFailed(lines) {
  const failed = lines.flatMap((line) => {
    const [, name, task] = /(@[\w/-]+)#([\w:-]+): +ERROR /.exec(line) ?? [];
    return name ? [`${name}:${task}: `] : [];
  });
  const selected = lines.filter((line) =>
    failed.some((prefix) => line.startsWith(prefix)),
  );
  return selected.length > 0 ? selected : lines;
}

/**
 * Shows the progress of a build that turbo runs: on a terminal in one line that changes, elsewhere in two lines.
 *
 * @param {{ isTTY?: boolean, write(text: string): unknown }} output
 */
export function createProgress(output) {
  const begun = new Set();
  let total = 0;
  const show = (text) =>
    output.write(output.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
  show("Building…");
  return {
    /** @param {string} line One line of turbo's output. */
    read(line) {
      total = Number(/in (\d+) packages/.exec(line)?.[1] ?? total);
      const task = /^(?:@gantry\/)?([\w-]+):build: cache /.exec(line)?.[1];
      if (!task) return;
      begun.add(task);
      const all = Math.max(total, begun.size);
      if (output.isTTY) show(`Building… ${begun.size} of ${all}: ${task}`);
    },
    /** @param {string} text Replaces the progress. */
    end(text) {
      show(output.isTTY ? `${text}\n` : text);
    },
  };
}
