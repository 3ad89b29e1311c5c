import { join } from "node:path";
import { becomeProcess, rootFolder, runStep } from "./shell.mjs";

/** What `npm run <name>` does once the toolchain and the dependencies are there. */
export const TASKS = {
  start: async (args, toolchain) => {
    buildDaemon(toolchain);
    await gantry(["serve", ...args], toolchain);
  },
  gantry: async (args, toolchain) => {
    buildDaemon(toolchain);
    await gantry(args, toolchain);
  },
  build: (args, toolchain) => turbo(["build", ...args], toolchain),
  test: (args, toolchain) => node("tooling/bootstrap/test.mjs", args, toolchain),
  "test:agents": (args, toolchain) => turbo(["test:agents", ...args], toolchain),
  "test:long": (args, toolchain) => turbo(["test:long", "--concurrency=1", ...args], toolchain),
  bench: (args, toolchain) => turbo(["bench", "--", ...args], toolchain),
  check: (args, toolchain) => turbo(["lint", "typecheck", "build", "test", ...args], toolchain),
  docs: (args, toolchain) => turbo(["docs", ...args], toolchain),
  format: (args, toolchain) => becomeProcess("pnpm", ["exec", "prettier", "--write", ".", ...args], toolchain),
};

/** Runs one of {@link TASKS}. */
export async function runTask(name, args, toolchain) {
  await TASKS[name](args, toolchain);
}

/** Everything the daemon serves, and nothing that only tests need. */
function buildDaemon({ env }) {
  runStep("pnpm", ["exec", "turbo", "run", "build", "--output-logs=errors-only", "--filter=!@gantry/e2e..."], {
    env: { ...env, TURBO_UI: "false" },
    quiet: true,
  });
}

function gantry(args, { node: executable, env }) {
  return becomeProcess(executable, [join(rootFolder, "kernel/bin/gantry.mjs"), ...args], {
    // `npm run` moves to the root; a command means the folder it was typed in.
    cwd: process.env.INIT_CWD ?? process.cwd(),
    env,
  });
}

function turbo(args, { env }) {
  return becomeProcess("pnpm", ["exec", "turbo", "run", ...args], { env: { ...env, TURBO_UI: "false" } });
}

function node(script, args, { node: executable, env }) {
  return becomeProcess(executable, [join(rootFolder, script), ...args], { env });
}
