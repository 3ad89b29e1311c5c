import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromiumPath } from "@gantry/plugin-testing/browser";
import { expect, onTestFinished, test } from "vitest";
import { processesWith, runningOf } from "../support/processes.ts";
import { startSite } from "../support/start-site.ts";

const DAEMON = join(import.meta.dirname, "../support/browsing-daemon.ts");

/** Starts a daemon with a browser that shows a page, and returns it. */
async function startDaemon(home: string, url: string) {
  const daemon = spawn(
    process.execPath,
    ["--conditions=gantry-source", DAEMON, home, url],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  onTestFinished(() => void daemon.kill("SIGKILL"));
  const [status] = (await once(daemon.stdout, "data")) as [Buffer];
  expect(String(status).trim()).toBe("200");
  return daemon;
}

(chromiumPath === undefined ? test.skip : test)(
  "a daemon that is killed leaves no process of its browser, and the next one has its cookies",
  { tags: ["thorough"] },
  async () => {
    const home = await mkdtemp(join(tmpdir(), "gantry-killed-"));
    onTestFinished(() =>
      rm(home, { recursive: true, force: true, maxRetries: 5 }),
    );
    await using site = await startSite();
    const url = `http://127.0.0.1:${site.port}/`;
    for (const cookie of [undefined, "kept=1"]) {
      site.requests.length = 0;
      const daemon = await startDaemon(home, url);
      await expect.poll(() => site.requests.length).toBeGreaterThan(0);
      expect(site.requests[0]!.headers.cookie).toBe(cookie);
      const all = await processesWith(`${home}/browser`);
      expect(all.length).toBeGreaterThan(1);
      daemon.kill("SIGKILL");
      await expect.poll(() => runningOf(all)).toEqual([]);
    }
  },
);
