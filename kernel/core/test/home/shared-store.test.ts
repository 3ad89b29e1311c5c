import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  pluginCode,
  putPlugin,
  runGantry,
  startDaemon,
} from "../support/daemon.ts";
import { temporaryFolder } from "@gantry/build/testing";

/** Homes whose configuration names one store outside of them. */
async function makeHomes() {
  const folder = await temporaryFolder();
  const base = join(folder, "store");
  const storage = { driver: "unstorage/drivers/fs-lite", options: { base } };
  const make = async (name: string) => {
    const home = join(folder, name);
    await mkdir(home, { mode: 0o700 });
    await writeFile(join(home, "config.json"), JSON.stringify({ storage }));
    return home;
  };
  return { base, first: await make("first"), second: await make("second") };
}

test(
  "two homes with one store: the second daemon is refused and says by whom",
  { tags: "thorough" },
  async () => {
    const { first, second } = await makeHomes();
    const daemon = await startDaemon(first);
    const refused = await runGantry(["serve", "--home", second, "--port", "0"]);
    expect(refused).toMatchObject({ code: 3, stdout: "" });
    expect(refused.stderr.split("\n").at(-2)).toMatch(
      new RegExp(
        `^gantry: Another daemon \\(pid ${daemon.pid} on ".+", home ${first}\\) uses this store; .*storage`,
      ),
    );
    expect((await daemon.call("/api/auth/session")).status).toBe(200);
    daemon.kill();
    expect((await daemon.ended).code).toBe(0);
    const next = await startDaemon(second);
    expect((await next.call("/api/auth/session")).status).toBe(200);
  },
);

test(
  "a daemon that was killed is followed at once by one on its own home",
  { tags: "thorough" },
  async () => {
    const { first } = await makeHomes();
    const daemon = await startDaemon(first);
    daemon.kill("SIGKILL");
    await daemon.ended;
    const startedAt = performance.now();
    await startDaemon(first);
    // Waits for no lease to expire.
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  },
);

test(
  "a daemon whose store was taken over ends and writes nothing more",
  { tags: "thorough" },
  async () => {
    const { base, first } = await makeHomes();
    await putPlugin(first, "talks", pluginCode("talks"));
    const daemon = await startDaemon(first);
    const lease = join(base, "kernel", "lease");
    const rival = {
      pid: 4711,
      host: "mars",
      home: "/home/ann",
      token: "other",
    };
    await writeFile(lease, JSON.stringify(rival));
    const before = await readdir(base, { recursive: true });
    const { code, stderr } = await daemon.ended;
    expect(code).toBe(3);
    expect(stderr).toMatch(/^gantry: Another daemon \(pid 4711 on "mars"/m);
    expect(await readdir(base, { recursive: true })).toEqual(before);
    expect(await readFile(lease, "utf8")).toBe(JSON.stringify(rival));
  },
);

test("a daemon that cannot open the store gives its lease back", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "lease");
  const driver = join(folder, "driver.mjs");
  await writeFile(
    driver,
    `import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
    const file = ${JSON.stringify(file)};
    export default () => ({
      getItem: () => (existsSync(file) ? readFileSync(file, "utf8") : null),
      hasItem: () => existsSync(file),
      setItem: (_, text) => writeFileSync(file, text),
      removeItem: () => rmSync(file),
      getKeys() { throw new Error("No list today."); },
    });`,
  );
  const home = join(folder, "home");
  await mkdir(home, { mode: 0o700 });
  await writeFile(
    join(home, "config.json"),
    JSON.stringify({ storage: { driver } }),
  );
  const refused = await runGantry(["serve", "--home", home, "--port", "0"]);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain("No list today.");
  expect(existsSync(file)).toBe(false);
});
