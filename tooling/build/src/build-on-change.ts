import { join } from "node:path";
import { watch } from "chokidar";

/** Editors write a file in several steps; a build starts after the last. */
const SETTLE_MS = 80;

/**
 * Runs `build` at once and after each change of the plugin's sources, never two at a time, until the signal aborts. What
 * changes while it builds is built afterwards.
 *
 * @param onRest Called after the first build.
 */
export async function buildOnChange(
  folder: string,
  build: () => Promise<void>,
  signal: AbortSignal,
  onRest: () => void,
): Promise<void> {
  const watcher = watch(
    ["src", "ui", "package.json"].map((name) => join(folder, name)),
    { ignoreInitial: true },
  );
  await new Promise<void>((resolve) => watcher.once("ready", () => resolve()));
  let timer: NodeJS.Timeout | undefined;
  let running = build();
  watcher.on("all", () => {
    clearTimeout(timer);
    timer = setTimeout(() => (running = running.then(build)), SETTLE_MS);
  });
  await running;
  onRest();
  if (!signal.aborted)
    await new Promise((resolve) => (signal.onabort = resolve));
  clearTimeout(timer);
  await watcher.close();
  await running;
}
