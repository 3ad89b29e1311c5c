import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { createProgress, FILTERS, selectFailed } from "../build-daemon.mjs";
import { rootFolder } from "../shell.mjs";

const LINES = [
  "• Running build in 10 packages",
  "@gantry/kernel:build: cache miss, executing 5d1f0c",
  "@gantry/kernel:build: $ tsup",
  "@gantry/shell:build: cache hit, replaying logs 77aa10",
];

function follow(isTTY) {
  let shown = "";
  const progress = createProgress({
    isTTY,
    write: (text) => (shown += text),
  });
  for (const line of LINES) progress.read(line);
  progress.end("Built in 30 s.");
  return shown;
}

it("builds the command, the shell and the plugins", () => {
  const { stdout, stderr } = spawnSync(
    "pnpm",
    [
      ...["exec", "turbo", "run", "build", "--dry=json"],
      ...FILTERS.map((path) => `--filter=${path}`),
    ],
    { cwd: rootFolder, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  const { tasks } = JSON.parse(stdout.slice(stdout.indexOf("{")) || stderr);
  const built = tasks
    .filter(({ command }) => command !== "<NONEXISTENT>")
    .map(({ package: name }) => name);
  expect(built).toEqual(
    expect.arrayContaining([
      ...["@gantry/cli", "@gantry/shell", "@gantry/plugin-shell"],
      ...["@gantry/plugin-agents", "@gantry/plugin-doctor"],
    ]),
  );
});

it("shows in one line what is being built", () => {
  expect(follow(true).split("\r\u001b[K")).toEqual([
    "",
    "Building…",
    "Building… 1 of 10: kernel",
    "Building… 2 of 10: shell",
    "Built in 30 s.\n",
  ]);
});

it("is two lines where nothing can be written over", () => {
  expect(follow(false)).toBe("Building…\nBuilt in 30 s.\n");
});

it("shows what failed, and nothing of what was built", () => {
  const lines = [
    "• Running build in 10 packages",
    "@gantry/plugin-apps:build: Built @gantry/plugin-apps in 2.66 s.",
    "@gantry/plugin-inbox:build: gantry-build: Build failed with 1 error:",
    "@gantry/plugin-apps:build: UI in all",
    '@gantry/plugin-inbox:build: src/index.ts:56:7: ERROR: Could not resolve "./x.ts"',
    "\u001b[31m@gantry/plugin-inbox#build:  ERROR  command exited (1)\u001b[0m",
    " Tasks:    7 successful, 8 total",
  ];
  expect(selectFailed(lines)).toEqual([lines[2], lines[4]]);
});

it("shows everything where no task failed", () => {
  const lines = [" ERROR  Could not find turbo.json"];
  expect(selectFailed(lines)).toEqual(lines);
});
