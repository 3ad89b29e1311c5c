import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createApiClient, type ApiClient } from "../support/api-client.ts";
import { runGantry, startDaemon } from "../support/daemon.ts";
import { readAll } from "../support/read-all.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** Runs a command on a home, which must succeed. */
async function run(home: string, ...args: string[]): Promise<string> {
  const { code, output } = await runGantry("backup", ...args, "--home", home);
  expect(code, output).toBe(0);
  return output;
}

const titles = async (api: ApiClient) =>
  (await readAll<{ title: string }>(api, "/api/snips"))
    .map(({ title }) => title)
    .sort();

async function addSnippet(api: ApiClient, title: string): Promise<void> {
  const body = { title, body: "Hello" };
  expect((await api.call("POST", "/api/snips", body)).status).toBe(200);
}

/** A home with one snippet and a backup folder, and a daemon that ran on it. */
async function makeHome(home: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await using daemon = await startDaemon(home);
  const api = await createApiClient(daemon);
  const settings = { folder, everyMinutes: 43_200 };
  expect((await api.call("PUT", "/api/backup", settings)).status).toBe(200);
  // The first snapshot is due at once, and may be in progress already. The next is not due while the test runs.
  const now = () => api.call("POST", "/api/backup/now", {});
  await expect.poll(async () => (await now()).status).toBe(200);
  await addSnippet(api, "One");
}

test(
  "with the daemon running, snapshots are made, proven and restored by its commands",
  { tags: "thorough" },
  async () => {
    await using folder = await createTemporaryFolder("backup-commands");
    const home = join(folder.path, "home");
    await makeHome(home, join(folder.path, "backups"));
    await using daemon = await startDaemon(home);
    const api = await createApiClient(daemon);
    expect(await run(home, "now", "--verify")).toContain("Verified: all of it");
    await addSnippet(api, "Two");
    expect(await run(home, "restore")).toMatch(
      /snippets: 1 item left, 1 item removed[^]*Nothing was changed/,
    );
    expect(await titles(api)).toEqual(["One", "Two"]);
    expect(await run(home, "restore", "--yes")).toContain("starts again");
    await expect.poll(() => titles(api).catch(() => [])).toEqual(["One"]);
    expect(await run(home, "list")).toMatch(/safety[^]*manual/);
    expect(await daemon.stop()).toBe(0);
  },
);

test(
  "a home that does not start any more, and a new machine, get everything back",
  { tags: "thorough" },
  async () => {
    await using folder = await createTemporaryFolder("backup-commands");
    const home = join(folder.path, "home");
    const backups = join(folder.path, "backups");
    await makeHome(home, backups);
    await run(home, "now");
    for (const name of ["store.sqlite-wal", "store.sqlite-shm"])
      await rm(join(home, name), { force: true });
    await writeFile(join(home, "store.sqlite"), "This is no database.");
    await expect(startDaemon(home)).rejects.toThrow(/damaged/);

    const refused = await runGantry(
      ...["backup", "restore", "--yes", "--home", home],
    );
    expect(refused.code).toBe(1);
    expect(refused.output).toContain("--without-safety-snapshot");
    await run(home, "restore", "--yes", "--without-safety-snapshot");

    const other = join(folder.path, "new-machine");
    await run(other, "restore", "--folder", backups);
    for (const restored of [home, other]) {
      await using daemon = await startDaemon(restored);
      expect(await titles(await createApiClient(daemon))).toEqual(["One"]);
    }
  },
);
