import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { processesWith } from "../support/processes.ts";
import { hasChromium } from "../support/start-pool.ts";

const DAEMON = join(import.meta.dirname, "..", "support", "pool-daemon.ts");

describe.skipIf(!hasChromium)(
  "a daemon that is killed",
  { timeout: 120_000 },
  () => {
    test("leaves no process of its browser", async () => {
      const home = await mkdtemp(join(tmpdir(), "gantry-killed-"));
      const daemon = spawn(
        process.execPath,
        [
          "--conditions=gantry-source",
          "--disable-warning=ExperimentalWarning",
          DAEMON,
          home,
        ],
        { stdio: ["ignore", "pipe", "inherit"] },
      );
      onTestFinished(async () => {
        daemon.kill("SIGKILL");
        await rm(home, { recursive: true, force: true, maxRetries: 5 });
      });
      await once(daemon.stdout, "data");
      expect(await processesWith(`--user-data-dir=${home}`)).not.toEqual([]);
      daemon.kill("SIGKILL");
      await expect
        .poll(() => processesWith(`--user-data-dir=${home}`), {
          timeout: 60_000,
        })
        .toEqual([]);
    });
  },
);
