import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { runGantry, startDaemon } from "../../../core/test/support/daemon.ts";
import type { Daemon } from "../../../core/test/support/daemon.ts";
import {
  packageEntries,
  writeTarball,
} from "../../../core/test/support/tarball.ts";
import { temporaryFolder } from "@gantry/build/testing";

/** A plugin that leaves a trace wherever a plugin can leave one. */
const SAMPLE = (version: string) => `
const Noted = { kind: "event", type: "sample.noted", summary: "x" };
const noted = () => ({ type: "sample.noted", subject: "x", data: {} });
export default {
  id: "sample", api: 1, summary: "A sample", mounts: ["/api/sample"], events: [Noted],
  async setup(ctx) {
    const { writeFile } = await import("node:fs/promises");
    await writeFile((await ctx.folder()) + "/file.txt", "x");
    ctx.on(Noted, () => ctx.store.set("heard", {}), { durable: "noted" });
    ctx.cron("0 0 * * *", () => {}, { timezone: "UTC" });
    ctx.route({
      method: "GET", path: "/api/sample", summary: "x", access: "session", returns: "bytes",
      async handle() {
        await ctx.store.batch([{ type: "set", key: "thing", value: {} }], [noted()]);
        return { kind: "bytes", mediaType: "text/plain", body: "${version}" };
      },
    });
  },
};`;

async function start() {
  const folder = await temporaryFolder();
  const home = join(folder, "home");
  const plugins = (...args: string[]) =>
    runGantry(["plugins", ...args, "--home", home]);
  const pack = (version: string) =>
    writeTarball(
      join(folder, `sample-${version}.tgz`),
      packageEntries({ name: "@acme/sample", version }, SAMPLE(version)),
    );
  return { home, plugins, pack };
}

const textOf = async (daemon: Daemon) =>
  (await daemon.call("/api/sample")).text();

function keysOf(home: string): string[] {
  const database = new DatabaseSync(join(home, "store.sqlite"), {
    readOnly: true,
  });
  const rows = database.prepare("SELECT key, value FROM entries").all();
  database.close();
  return rows.map(({ key, value }) => `${String(key)} ${String(value)}`);
}

test("a plugin is added to a running daemon, replaced, and removed without a trace", async () => {
  const { home, plugins, pack } = await start();
  const daemon = await startDaemon(home);
  expect(await plugins("add", await pack("1.0.0"))).toMatchObject({
    code: 0,
    stdout: "sample 1.0.0 (home): active\n",
  });
  expect(await textOf(daemon)).toBe("1.0.0");
  await plugins("add", await pack("1.1.0"));
  expect(await textOf(daemon)).toBe("1.1.0");
  expect(await plugins("list")).toMatchObject({
    stdout: "sample 1.1.0 (home): active\n",
  });
  await vi.waitFor(() => expect(keysOf(home).join()).toContain("sample:heard"));
  const traces = () =>
    keysOf(home).filter((row) =>
      /^sample:|^kernel:cursor:sample|"plugin":"sample"/.test(row),
    );
  expect(traces().length).toBeGreaterThanOrEqual(4);

  expect(await plugins("remove", "sample")).toMatchObject({
    code: 0,
    stdout: "Removed sample.\n",
  });
  expect(traces()).toEqual([]);
  expect(await readdir(join(home, "plugins"))).toEqual([]);
  expect(await readdir(join(home, "data"))).toEqual([]);
  expect((await daemon.call("/api/sample")).status).toBe(404);
  expect(await plugins("list")).toMatchObject({ stdout: "" });
});

test(
  "what a removed plugin stored stays if its user says so",
  { tags: "thorough" },
  async () => {
    const { home, plugins, pack } = await start();
    const daemon = await startDaemon(home);
    await plugins("add", await pack("1.0.0"));
    await textOf(daemon);
    await plugins("remove", "sample", "--keep-data");
    expect(keysOf(home).join()).toContain("sample:thing");
    expect(
      (await stat(join(home, "data", "sample", "file.txt"))).isFile(),
    ).toBe(true);
  },
);

test(
  "one that cannot be loaded is shown with the reason, and can be removed, whatever its folder is called",
  { tags: "thorough" },
  async () => {
    const { home, plugins, pack } = await start();
    await plugins("add", await pack("1.0.0"));
    const folder = join(home, "plugins", "sample");
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(join(folder, "package.json"), '{"gantry": {"api": 9}}');
    const daemon = await startDaemon(home);
    await textOf(daemon);
    expect(await plugins("list")).toMatchObject({
      stdout: expect.stringMatching(
        /^sample 1\.0\.0 \(home\): active\nsample@2 .*\(home\): failed: its package\.json does not fit/,
      ) as string,
    });
    expect(await plugins("remove", "sample@2")).toMatchObject({ code: 0 });
    expect(await readdir(join(home, "plugins"))).toEqual(["@acme+sample"]);
    expect(await textOf(daemon)).toBe("1.0.0");
    expect(keysOf(home).join()).toContain("sample:thing");
  },
);

test(
  "without a daemon a plugin is installed for the next start",
  { tags: "thorough" },
  async () => {
    const { home, plugins, pack } = await start();
    expect(await plugins("add", await pack("1.0.0"))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("runs from the next start on") as string,
    });
    expect(await plugins("list")).toMatchObject({
      stdout: expect.stringContaining("@acme/sample 1.0.0") as string,
    });
    expect(await textOf(await startDaemon(home))).toBe("1.0.0");
  },
);

test(
  "what cannot be done is told in one line",
  { tags: "thorough" },
  async () => {
    const { home, plugins } = await start();
    const fails = ({ source }: RegExp) => ({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(
        new RegExp(`^gantry: [^\\n]*${source}[^\\n]*\\n$`),
      ) as string,
    });
    expect(await plugins("remove", "sample")).toMatchObject(
      fails(/No daemon runs on/),
    );
    expect(await plugins("add", "/nowhere.tgz")).toMatchObject(
      fails(/There is no file/),
    );
    await startDaemon(home);
    expect(await plugins("remove", "nothing")).toMatchObject(
      fails(/no plugin "nothing"/),
    );
    const noPlugin = await writeTarball(join(home, "no.tgz"), [
      { name: "package/package.json", content: "{}" },
    ]);
    expect(await plugins("add", noPlugin)).toMatchObject(fails(/not a plugin/));
  },
);
