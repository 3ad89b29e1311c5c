// The first thing every command of this repository runs: plain JavaScript without dependencies, because on a bare
// machine nothing else is there yet. It brings the pinned Node and pnpm, installs the workspace, then hands over.
import { installToolchain } from "./toolchain.mjs";
import { installWorkspace } from "./workspace.mjs";
import { runTask, TASKS } from "./tasks.mjs";

const [task, ...rest] = process.argv.slice(2);

if (!Object.hasOwn(TASKS, task)) {
  console.error(
    `bootstrap: unknown task "${task ?? ""}"; one of: ${Object.keys(TASKS).join(", ")}`,
  );
  process.exit(2);
}

const toolchain = installToolchain();
installWorkspace(toolchain);
await runTask(task, rest, toolchain);
