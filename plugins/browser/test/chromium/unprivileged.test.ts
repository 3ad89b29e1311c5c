import { createHash } from "node:crypto";
import { readFile, rm, stat } from "node:fs/promises";
import { chromiumPath } from "@gantry/plugin-testing/browser";
import { expect, onTestFinished, test } from "vitest";
import { processesWith } from "../support/processes.ts";
import { REAL, startBrowsing } from "../support/start-browsing.ts";
import { startSite } from "../support/start-site.ts";

const isPossible = process.getuid?.() === 0 && chromiumPath !== undefined;

(isPossible ? test : test.skip)(
  "the browser of root runs under an unprivileged account, sandboxed, on a profile that it owns",
  { tags: ["thorough"] },
  async () => {
    await using site = await startSite();
    await using bench = await startBrowsing({ command: REAL.command });
    const key = createHash("sha256").update(bench.home).digest("hex");
    const folder = `/var/lib/gantry-${key.slice(0, 12)}`;
    onTestFinished(() =>
      rm(folder, { recursive: true, force: true, maxRetries: 5 }),
    );
    await bench.post(`http://127.0.0.1:${site.port}/`);
    await expect
      .poll(async () => (await bench.tabs()).map(({ title }) => title))
      .toEqual(["Shop"]);
    const all = await processesWith(folder);
    const renderers = all.filter(({ command }) =>
      command.includes("--type=renderer"),
    );
    expect(renderers).not.toEqual([]);
    for (const process of all) {
      const status = await readFile(`/proc/${process.pid}/status`, "utf8");
      expect(status).not.toMatch(/^Uid:\s+0\s/m);
      expect(process.command).not.toContain("--no-sandbox");
      // Mode 2: a filter restricts the system calls.
      if (renderers.includes(process))
        expect(status).toMatch(/^Seccomp:\s+2$/m);
    }
    expect((await stat(`${folder}/user`)).mode & 0o777).toBe(0o700);
  },
);
