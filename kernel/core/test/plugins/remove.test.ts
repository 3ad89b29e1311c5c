import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { definePlugin } from "@gantry/plugin";
import { startTestKernel } from "../../../testing/src/index.ts";
import type {
  TestKernel,
  TestKernelOptions,
} from "../../../testing/src/index.ts";
import { callControl, controlPath } from "@gantry/system/home/control";
import type { PluginLine } from "../../src/control-commands.ts";
import { pluginCode, putPlugin } from "../support/daemon.ts";
import { packageEntries, writeTarball } from "../support/tarball.ts";

const STORES = `await ctx.store.set("thing", { of: "it" }); await ctx.folder();`;

async function makeHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "gantry-test-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
}

/** The commands of the daemon that runs on a home. */
function askFor(home: string) {
  const ask = <Result>(command: string, input: object = {}) =>
    callControl<Result>(controlPath(home), command, input);
  return {
    list: async () =>
      (await ask<PluginLine[]>("plugins-list")).map(({ id }) => id),
    remove: (id: string, keepData = false) =>
      ask<{ id: string; dataRemoved: boolean }>("plugins-remove", {
        id,
        keepData,
      }),
    async add(name: string, code: string) {
      const tarball = join(home, "it.tgz");
      await writeTarball(tarball, packageEntries({ name }, code));
      return ask<PluginLine>("plugins-add", { tarball });
    },
  };
}

async function start(home: string, options: TestKernelOptions = {}) {
  const kernel = await startTestKernel([], { home, ...options });
  return { kernel, ...askFor(home) };
}

const keysOf = ({ kernel }: TestKernel, prefix: string) =>
  kernel.foundation.core.engine.keys(prefix);

test.each(["auth", "kernel"])(
  'removing a plugin that calls itself "%s" touches nothing of the kernel',
  async (id) => {
    const home = await makeHome();
    await putPlugin(home, "innocent", pluginCode(id));
    await putPlugin(home, id, "not even code", "@acme/other");
    const { kernel, list, remove } = await start(home);
    await using _ = kernel;
    kernel.expectFault(/not loaded/);
    await mkdir(join(home, "data", id));
    const before = [
      ...(await keysOf(kernel, "auth:")),
      ...(await keysOf(kernel, "kernel:")),
    ];
    expect(before).toContainEqual(expect.stringMatching(/^auth:session:/));
    const listed = await list();
    expect(listed).toHaveLength(2);
    expect(listed).not.toContain(id);
    await expect(remove(id)).rejects.toThrow(/no plugin/);
    for (const name of listed) await remove(name);
    expect(await list()).toEqual([]);
    expect(await readdir(join(home, "plugins"))).toEqual([]);
    expect((await stat(join(home, "data", id))).isDirectory()).toBe(true);
    for (const key of before)
      expect(await kernel.kernel.foundation.core.engine.get(key)).toBeDefined();
    expect((await kernel.api.get("/api/auth/session")).status).toBe(200);
  },
);

test.each([
  ["auth", /"auth" is the kernel's own/],
  ["Not An Id", /not a plugin id/],
  ["first", /another plugin has the id/],
])('a plugin that calls itself "%s" is not installed', async (id, reason) => {
  const home = await makeHome();
  await putPlugin(home, "first", pluginCode("first", STORES));
  const { kernel, list, add } = await start(home);
  await using _ = kernel;
  await expect(add("gantry-plugin-odd", pluginCode(id))).rejects.toThrow(
    reason,
  );
  expect(await list()).toEqual(["first"]);
  expect(await readdir(join(home, "plugins"))).toEqual(["first"]);
  expect(await keysOf(kernel, "first:")).toEqual(["first:thing"]);
});

test("a version that cannot be used leaves the earlier one running", async () => {
  const home = await makeHome();
  const { kernel, list, add } = await start(home);
  await using _ = kernel;
  kernel.expectFault(/not loaded/);
  await add("gantry-plugin-odd", pluginCode("odd", STORES));
  for (const code of [pluginCode("kernel"), "throw new Error('Broken');"])
    await expect(add("gantry-plugin-odd", code)).rejects.toThrow();
  expect(await list()).toEqual(["odd"]);
  expect(kernel.kernel.plugins.list()).toMatchObject([{ state: "active" }]);
  await kernel.restart();
  expect(kernel.kernel.plugins.list()).toMatchObject([
    { id: "odd", state: "active" },
  ]);
});

test("a broken folder that is called like another plugin takes nothing of it along", async () => {
  const home = await makeHome();
  const { kernel, list, add, remove } = await start(home);
  await using _ = kernel;
  await add("@acme/notes", pluginCode("notes", STORES));
  await putPlugin(home, "notes", "not even code");
  kernel.expectFault(/not loaded/);
  await kernel.restart();
  const broken = (await list()).find((id) => id !== "notes");
  expect(await remove(broken ?? "")).toMatchObject({ dataRemoved: false });
  expect(await keysOf(kernel, "notes:")).toEqual(["notes:thing"]);
  expect(await remove("notes")).toMatchObject({ dataRemoved: true });
  expect(await keysOf(kernel, "notes:")).toEqual([]);
});

test("kept records are not removed with another plugin of that name", async () => {
  const home = await makeHome();
  const { kernel, add, remove } = await start(home);
  await using _ = kernel;
  await add("@acme/notes", pluginCode("notes", STORES));
  expect(await remove("notes", true)).toMatchObject({ dataRemoved: false });
  await putPlugin(home, "notes", "not even code");
  kernel.expectFault(/not loaded/);
  await kernel.restart();
  expect(await remove("notes")).toMatchObject({ dataRemoved: false });
  expect(await keysOf(kernel, "notes:")).toEqual(["notes:thing"]);
});

test("removing a plugin whose id another one has now takes nothing of that one along", async () => {
  const home = await makeHome();
  const first = await start(home);
  await first.add("@acme/notes", pluginCode("notes", STORES));
  await first.kernel.stop();
  const delivered = definePlugin({
    id: "notes",
    api: 1,
    summary: "Came with a later version",
    mounts: [],
    setup() {},
  });
  const kernel = await startTestKernel([delivered], { home });
  await using _ = kernel;
  const { list, remove } = askFor(home);
  const own = (await list()).find((id) => id !== "notes");
  expect(await remove(own ?? "")).toMatchObject({ dataRemoved: false });
  expect(await keysOf(kernel, "notes:")).toEqual(["notes:thing"]);
});

test("removing a plugin whose id became the kernel's own takes nothing of the kernel along", async () => {
  const home = await makeHome();
  await putPlugin(home, "shell", "not even code", "@acme/shell");
  const { kernel, list, remove } = await start(home);
  await using _ = kernel;
  kernel.expectFault(/not loaded/);
  // As a version wrote it in which the id was free.
  await kernel.kernel.foundation.core.commit("kernel", [
    {
      type: "set",
      key: "kernel:plugin-owner:shell",
      value: { folder: "shell" },
    },
    { type: "set", key: "shell:choice", value: {} },
  ]);
  const [id = ""] = await list();
  expect(await remove(id)).toMatchObject({ dataRemoved: false });
  expect(await keysOf(kernel, "shell:")).toEqual(["shell:choice"]);
});

test("a plugin whose code does not run now is removed with what it stored", async () => {
  const home = await makeHome();
  const first = await start(home);
  await first.add("@acme/notes", pluginCode("notes", STORES));
  await first.kernel.stop();
  const folder = join(home, "plugins", "@acme+notes");
  await writeFile(join(folder, "dist", "server.mjs"), "not even code");
  const { kernel, list, remove } = await start(home);
  await using _ = kernel;
  kernel.expectFault(/not loaded/);
  const [id = ""] = await list();
  expect(await keysOf(kernel, "notes:")).toEqual(["notes:thing"]);
  expect(await remove(id)).toMatchObject({ dataRemoved: true });
  expect(await keysOf(kernel, "notes:")).toEqual([]);
  expect(await readdir(join(home, "data"))).toEqual([]);
  expect(await keysOf(kernel, "kernel:plugin-owner:")).toEqual([]);
});
