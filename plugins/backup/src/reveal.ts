import type { Clock, Run } from "@gantry/plugin";
import { backupFolder } from "./archive/backup-folder.ts";
import { errors } from "./errors.ts";
import type { SnapshotShelf } from "./snapshots/snapshot-shelf.ts";

/** A file manager that has said nothing by then is open. */
const SETTLED_MS = 3000;

/**
 * Shows the backup folder, or the folder of one snapshot, on the screen of the machine that the daemon runs on.
 *
 * @throws BACKUP_FOLDER_MISSING, BACKUP_FOLDER_UNAVAILABLE, BACKUP_SNAPSHOT_NOT_FOUND
 */
export type Reveal = (
  id: string | undefined,
) => Promise<{ path: string; opened: boolean }>;

/** Dependencies of {@link createReveal}. */
export interface RevealHost {
  run: Run;
  clock: Clock;
  shelf: SnapshotShelf;
  folder(): string | null;
}

/** Makes the {@link Reveal} of a plugin. */
export function createReveal({
  run,
  clock,
  shelf,
  folder,
}: RevealHost): Reveal {
  async function open(path: string): Promise<boolean> {
    const name = fileManager();
    const program = name && (await run.find(name));
    if (!program) return false;
    // The path is absolute, so that it can be taken for no option and no address.
    const child = await run(program, [path]);
    child.stdout.resume();
    child.stderr.resume();
    child.stdin.end();
    const exit = await Promise.race([
      child.exited,
      clock.sleep(SETTLED_MS).then(() => undefined),
    ]);
    // The one of Windows says 1 whenever it opened something.
    return !exit || exit.code === 0 || name === "explorer.exe";
  }

  async function chosenFolder(): Promise<string> {
    const chosen = folder();
    if (chosen === null) throw errors.BACKUP_FOLDER_MISSING();
    return await backupFolder(chosen);
  }

  return async (id) => {
    const path =
      id === undefined ? await chosenFolder() : (await shelf.find(id)).path;
    return { path, opened: await open(path).catch(() => false) };
  };
}

/** Name of the program that shows folders here; `undefined` without a screen. */
function fileManager(): string | undefined {
  if (process.platform === "darwin") return "open";
  if (process.platform === "win32") return "explorer.exe";
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return DISPLAY || WAYLAND_DISPLAY ? "xdg-open" : undefined;
}
