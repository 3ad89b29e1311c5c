import { join } from "node:path";
import { ARTIFACTS } from "./keep-picture.ts";
import { isThorough } from "./thorough.ts";

/** What is used of the context of a driven browser. */
interface TracedContext {
  tracing: {
    start(options: { screenshots: true; snapshots: true }): Promise<unknown>;
    stop(options: { path: string }): Promise<unknown>;
  };
}

/**
 * Keeps each step of a walk through pages, with what they look like, as a trace below `artifacts`, also if the walk fails:
 * `npx playwright show-trace` shows it. Only `npm run test:all` does.
 *
 * @param path From `artifacts`, without an extension.
 */
export async function keepTrace(
  { tracing }: TracedContext,
  path: string,
  walk: () => Promise<void>,
): Promise<void> {
  if (!isThorough) return await walk();
  await tracing.start({ screenshots: true, snapshots: true });
  try {
    await walk();
  } finally {
    await tracing.stop({ path: join(ARTIFACTS, `${path}.zip`) });
  }
}
