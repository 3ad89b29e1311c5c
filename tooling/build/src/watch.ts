import { existsSync, watch } from "node:fs";
import { join } from "node:path";

/** Editors write a file in several steps; a build starts after the last. */
const SETTLE_MS = 80;

/**
 * Runs `build` after each change of the plugin's sources, never two at once, until the signal aborts.
 */
export async function watchSources(
  folder: string,
  build: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const onChange = () => {
    clearTimeout(timer);
    timer = setTimeout(() => (running = running.then(build)), SETTLE_MS);
  };
  for (const name of ["src", "ui", "package.json"]) {
    const path = join(folder, name);
    if (!existsSync(path)) continue;
    watch(path, { recursive: name !== "package.json", signal }, onChange);
  }
  await new Promise<void>((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
  clearTimeout(timer);
  await running;
}
