import { createHash } from "node:crypto";
import { readFile, rm, stat } from "node:fs/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { openPage } from "../support/open-page.ts";
import { processesWith } from "../support/processes.ts";
import { hasChromium, startPool, testSettings } from "../support/start-pool.ts";

const isRoot = process.getuid?.() === 0;

describe.skipIf(!hasChromium || !isRoot)(
  "a browser of root",
  { timeout: 120_000 },
  () => {
    test("runs under the unprivileged account, sandboxed, on a profile that it owns", async () => {
      await using world = await startPool({
        browser: { command: testSettings.command },
      });
      const key = createHash("sha256")
        .update(world.kernel.home)
        .digest("hex")
        .slice(0, 12);
      const folder = `/var/lib/gantry-${key}`;
      onTestFinished(() =>
        rm(folder, { recursive: true, force: true, maxRetries: 5 }),
      );
      const browser = await world.pool.open({ kind: "user" });
      expect(
        await (
          await openPage(browser, "http://one.test/")
        ).evaluate("document.title"),
      ).toBe("Home");
      const all = await processesWith(`--user-data-dir=${folder}`);
      expect(all).not.toEqual([]);
      for (const { pid, command } of all) {
        const status = await readFile(`/proc/${pid}/status`, "utf8");
        expect(status).not.toMatch(/^Uid:\s+0\s/m);
        expect(command).not.toContain("--no-sandbox");
        // Mode 2: a filter restricts the system calls.
        if (command.includes("--type=renderer"))
          expect(status).toMatch(/^Seccomp:\s+2$/m);
      }
      expect((await stat(`${folder}/user`)).mode & 0o777).toBe(0o700);
    });
  },
);
