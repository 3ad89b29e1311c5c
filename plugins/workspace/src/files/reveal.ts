import { dirname } from "node:path";
import { type AgentFolder, showPath } from "@gantry/agent-folder";
import type { Clock, Run } from "@gantry/plugin";
import { errors } from "../errors.ts";

/** A file manager that has not ended by then has opened. */
const SETTLED_MS = 3000;

/** A program that shows a folder, with its arguments. */
interface FileManager {
  name: string;
  args: readonly string[];
}

/**
 * Shows a folder on the screen of the machine that the daemon runs on. Of a file it shows the folder that it is in,
 * since opening a file could run it.
 *
 * @throws AGENT_TOOL_MISSING without a file manager or a screen, TOOL_FAILED
 */
export type Reveal = (folder: AgentFolder, asked: string) => Promise<void>;

/** Makes the {@link Reveal} of a plugin. */
export function createReveal({
  run,
  clock,
}: {
  run: Run;
  clock: Clock;
}): Reveal {
  return async (folder, asked) => {
    const place = await folder.find(asked);
    if (!place.stats) throw errors.PATH_NOT_FOUND({ path: showPath(asked) });
    const path = place.stats.isDirectory() ? place.path : dirname(place.path);
    const manager = fileManager(path);
    const program = manager && (await run.find(manager.name));
    if (!manager || program === undefined)
      throw errors.AGENT_TOOL_MISSING({ tool: "A file manager with a screen" });
    const child = await run(program, manager.args, { cwd: path });
    child.stdout.resume();
    child.stderr.resume();
    child.stdin.end();
    const exit = await Promise.race([
      child.exited,
      clock.sleep(SETTLED_MS).then(() => undefined),
    ]);
    if (exit && exit.code !== 0)
      throw errors.TOOL_FAILED({ tool: "The file manager" });
  };
}

/** The path is absolute, so that the program takes it neither for an option nor for an address. */
function fileManager(path: string): FileManager | undefined {
  // A folder may be a program there; shown in its parent, it does not start.
  if (process.platform === "darwin")
    return { name: "open", args: ["-R", path] };
  if (process.platform !== "linux") return undefined;
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return DISPLAY || WAYLAND_DISPLAY
    ? { name: "xdg-open", args: [path] }
    : undefined;
}
