import { join } from "node:path";
import { NODE_FLAGS } from "../../kernel/cli/bin/node-flags.mjs";
import { buildDaemon } from "./build-daemon.mjs";
import { becomeProcess, rootFolder, runStep } from "./shell.mjs";
import { prepareCache } from "./turbo.mjs";

/** What `npm run <name>` does once the toolchain and the dependencies are there. */
export const TASKS = {
  start: async (args, toolchain) => {
    await buildDaemon(toolchain);
    await gantry(["serve", ...args], toolchain);
  },
  gantry: async (args, toolchain) => {
    await buildDaemon(toolchain);
    await gantry(args, toolchain);
  },
  build: (args, toolchain) => turbo(["build", ...args], toolchain),
  test: (args, toolchain) =>
    node("tooling/bootstrap/test.mjs", args, toolchain),
  "test:all": (args, toolchain) =>
    node("tooling/bootstrap/test.mjs", ["--all", ...args], toolchain),
  "test:agents": (args, toolchain) =>
    turbo(["test:agents", ...args], toolchain),
  "test:long": (args, toolchain) =>
    turbo(["test:long", "--concurrency=1", ...args], toolchain),
  "test:mutants": (args, toolchain) =>
    turbo(["test:mutants", "--", ...args], toolchain),
  bench: (args, toolchain) => turbo(["bench", "--", ...args], toolchain),
  check: (args, toolchain) =>
    turbo(
      [
        "lint",
        "lint:circles",
        "format:check",
        "typecheck",
        "--continue=dependencies-successful",
        ...args,
      ],
      toolchain,
    ),
  docs: (args, toolchain) => turbo(["docs", ...args], toolchain),
  format: (args, { env }) => {
    runStep("pnpm", ["lint", "--fix"], { env, mayFail: true });
    return becomeProcess(
      "pnpm",
      ["exec", "prettier", "--write", "--log-level=warn", ".", ...args],
      { env },
    );
  },
};

/** Runs one of {@link TASKS}. */
export async function runTask(name, args, toolchain) {
  await TASKS[name](args, toolchain);
}

function gantry(args, { node: executable, env }) {
  return becomeProcess(
    executable,
    [...NODE_FLAGS, join(rootFolder, "kernel/cli/bin/gantry.mjs"), ...args],
    {
      // `npm run` moves to the root; a command means the folder it was typed in.
      cwd: process.env.INIT_CWD ?? process.cwd(),
      env,
    },
  );
}

function turbo(args, { env }) {
  return becomeProcess(
    "pnpm",
    ["exec", "turbo", "run", `--cache-dir=${prepareCache()}`, ...args],
    { env },
  );
}

function node(script, args, { node: executable, env }) {
  return becomeProcess(executable, [join(rootFolder, script), ...args], {
    env,
  });
}
