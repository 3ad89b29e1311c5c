import { execFile } from "node:child_process";
import { lstat, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { FAKE, startBrowsing } from "../support/start-browsing.ts";
import type { BrowsingBench } from "../support/start-browsing.ts";

const SITE = "https://shop.example/";
const run = promisify(execFile);
const canMount = process.getuid?.() === 0 && process.platform === "linux";

/** Locks the user's profile as Chromium does, for a process on a host. */
async function lock(
  { home }: BrowsingBench,
  holder: string,
): Promise<{ file: string; socket: string }> {
  const folder = join(home, "browser", "user");
  await mkdir(folder, { recursive: true });
  const file = join(folder, "SingletonLock");
  const socket = join(tmpdir(), `gantry-singleton-${process.pid}`);
  await rm(file, { force: true });
  await rm(join(folder, "SingletonSocket"), { force: true });
  await symlink(holder, file);
  await symlink(socket, join(folder, "SingletonSocket"));
  return { file, socket };
}

test("a profile that another browser uses is left alone", async () => {
  await using bench = await startBrowsing(FAKE);
  const { file, socket } = await lock(bench, `${hostname()}-4711`);
  const server = createServer().listen(socket);
  onTestFinished(() => void server.close());
  expect(await bench.post(SITE)).toMatchObject({
    status: 409,
    body: {
      code: "BROWSER_PROFILE_IN_USE",
      detail:
        'Another browser uses the profile "user": process 4711 on this machine. End it there; if it no longer runs, remove SingletonLock from the folder of the profile. Then try again.',
    },
  });
  expect((await lstat(file)).isSymbolicLink()).toBe(true);
  expect((await bench.status()).problem).toContain("process 4711");

  await lock(bench, "elsewhere.example-17");
  expect(await bench.post(SITE)).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("elsewhere.example") as string },
  });
});

test("a lock that a killed browser left is removed", async () => {
  await using bench = await startBrowsing(FAKE);
  // The number of a process that runs, as it may be after a while.
  const { file } = await lock(bench, `${hostname()}-${process.pid}`);
  expect((await bench.post(SITE)).status).toBe(200);
  await expect(lstat(file)).rejects.toMatchObject({ code: "ENOENT" });
});

(canMount ? test : test.skip)(
  "a browser is not started on a full disk, and starts once there is room",
  async () => {
    await using bench = await startBrowsing(FAKE);
    const folder = join(bench.home, "browser");
    await mkdir(folder);
    const size = "size=65m";
    await run("mount", ["-t", "tmpfs", "-o", size, "tmpfs", folder]);
    try {
      const filler = join(folder, "filler");
      await writeFile(filler, Buffer.alloc(10_000_000));
      expect(await bench.post(SITE)).toMatchObject({
        status: 507,
        body: {
          code: "BROWSER_DISK_FULL",
          detail: expect.stringMatching(
            /profiles has 5\d MB left, and a browser needs 64 MB/,
          ) as string,
        },
      });
      expect((await bench.status()).problem).toContain("Make room");
      await rm(filler);
      expect((await bench.post(SITE)).status).toBe(200);
      await bench.kernel.plugins.stop("browser");
    } finally {
      await run("umount", ["--lazy", folder]);
    }
  },
);
