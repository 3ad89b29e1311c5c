import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyCrashedHome } from "@gantry/plugin-testing";
import { onTestFinished } from "vitest";

/**
 * A home as it would be found if the daemon were killed at this moment. It goes when the test is over and its daemons have
 * stopped.
 *
 * @param home Home of a daemon that runs.
 */
export function takeCrashImage(home: string): string {
  const image = mkdtempSync(join(tmpdir(), "gantry-image-"));
  onTestFinished(() => rm(image, { recursive: true, force: true }));
  copyCrashedHome(home, image);
  return image;
}
