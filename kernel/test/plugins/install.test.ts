import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { installTarball } from "../../src/plugins/install.ts";
import { packageEntries, writeTarball } from "../support/tarball.ts";
import type { TarEntry } from "../support/tarball.ts";
import { temporaryFolder } from "../support/temporary.ts";

async function start() {
  const folder = await temporaryFolder();
  const plugins = join(folder, "plugins");
  await mkdir(plugins);
  return {
    folder,
    plugins,
    install: async (entries: readonly TarEntry[]) =>
      installTarball(
        await writeTarball(join(folder, "it.tgz"), entries),
        plugins,
      ),
  };
}

test("a package is unpacked into a folder of its name, readable by its user alone", async () => {
  const { plugins, install } = await start();
  const installed = await install([
    ...packageEntries({ name: "@acme/sample" }, "export default 1;"),
    { name: "package/dist/", type: "5" },
    { name: "package/empty.txt" },
  ]);
  const folder = join(plugins, "acme__sample");
  expect(installed).toMatchObject({
    name: "acme__sample",
    folder,
    packageName: "@acme/sample",
    version: "1.2.3",
    origin: "home",
    server: join(folder, "dist", "server.mjs"),
  });
  expect(await readFile(installed.server ?? "", "utf8")).toBe(
    "export default 1;",
  );
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await stat(installed.server ?? "")).mode & 0o777).toBe(0o600);
  expect(await readFile(join(folder, "empty.txt"), "utf8")).toBe("");
});

test("a later version takes the place of the earlier one, whole", async () => {
  const { plugins, install } = await start();
  await install([
    ...packageEntries(),
    { name: "package/old.txt", content: "old" },
  ]);
  await install(packageEntries({ version: "2.0.0" }));
  expect(await readdir(plugins)).toEqual(["gantry-plugin-sample"]);
  expect((await readdir(join(plugins, "gantry-plugin-sample"))).sort()).toEqual(
    ["dist", "package.json"],
  );
});

const evil = { content: "evil" };
const hostile: Record<string, TarEntry[]> = {
  "a path upwards": [{ name: "package/../../evil.txt", ...evil }],
  "a path upwards behind a folder": [
    { name: "package/a/../../../evil.txt", ...evil },
  ],
  "an absolute path": [{ name: "/tmp/canary-evil.txt", ...evil }],
  "a path of Windows": [{ name: "package\\..\\..\\evil.txt", ...evil }],
  "a path beside the package": [{ name: "evil.txt", ...evil }],
  "a path that begins alike": [{ name: "packages/evil.txt", ...evil }],
  "a symbolic link": [{ name: "package/link", type: "2", link: "/etc" }],
  "a file through a link": [
    { name: "package/link", type: "2", link: "../.." },
    { name: "package/link/evil.txt", ...evil },
  ],
  "a hard link": [{ name: "package/link", type: "1", link: "/etc/passwd" }],
  "a device": [{ name: "package/device", type: "3" }],
  "a named pipe": [{ name: "package/pipe", type: "6" }],
  "a type that nobody knows": [{ name: "package/odd", type: "Z" }],
  "a long name that leads out": [
    { name: "././@LongLink", type: "L", content: "../../evil.txt\0" },
    { name: "package/short.txt", ...evil },
  ],
  "an extended name that leads out": [
    {
      name: "package/pax",
      type: "x",
      content: "26 path=/tmp/canary-evil.txt\n",
    },
    { name: "package/short.txt", ...evil },
  ],
  "a file where a folder is": [
    { name: "package/a", ...evil },
    { name: "package/a/b", ...evil },
  ],
};

test.each(Object.entries(hostile))(
  "an archive with %s is refused, and nothing of it stays",
  async (_, entries) => {
    const { folder, plugins, install } = await start();
    await expect(
      install([...packageEntries(), ...entries]),
    ).rejects.toMatchObject({
      code: "PLUGIN_INVALID",
      status: 400,
    });
    expect(await readdir(plugins)).toEqual([]);
    expect((await readdir(folder)).sort()).toEqual(["it.tgz", "plugins"]);
    expect(await readdir("/tmp")).not.toContain("canary-evil.txt");
  },
);

const unfit: Record<string, TarEntry[]> = {
  "no package.json": packageEntries().slice(1),
  "a package.json that is not JSON": [
    { name: "package/package.json", content: "{" },
  ],
  "a package that is no plugin": packageEntries({ gantry: undefined }),
  "another version of the contract": packageEntries({
    gantry: { api: 2, server: "./dist/server.mjs" },
  }),
  "a server file that is not there": packageEntries({
    gantry: { api: 1, server: "./dist/gone.mjs" },
  }),
  "a UI file that is not there": packageEntries({
    gantry: { api: 1, ui: "./dist/gone.mjs" },
  }),
  "a server file that is a folder": packageEntries({
    gantry: { api: 1, server: "./dist" },
  }),
  "a server file outside": packageEntries({
    gantry: { api: 1, server: "./../evil.mjs" },
  }),
  "a server file by an absolute path": packageEntries({
    gantry: { api: 1, server: "/etc/passwd" },
  }),
  "a name that leads out": packageEntries({ name: "@../evil" }),
  "a name that is hidden": packageEntries({ name: ".staging" }),
  "a name that is none": packageEntries({ name: "" }),
  "nothing in it": [],
};

test.each(Object.entries(unfit))(
  "%s is refused, and nothing of it stays",
  async (_, entries) => {
    const { plugins, install } = await start();
    await expect(install(entries)).rejects.toMatchObject({
      code: "PLUGIN_INVALID",
    });
    expect(await readdir(plugins)).toEqual([]);
  },
);

test("what was there stays when what should take its place is refused", async () => {
  const { plugins, install } = await start();
  await install(packageEntries());
  const later = packageEntries({ gantry: { api: 1, server: "./gone.mjs" } });
  await expect(install(later)).rejects.toMatchObject({
    code: "PLUGIN_INVALID",
  });
  expect(await readdir(join(plugins, "gantry-plugin-sample"))).toContain(
    "package.json",
  );
});

test.each([
  ["is no archive", Buffer.from("no archive")],
  ["is cut off", gzipSync(Buffer.alloc(4096)).subarray(0, 20)],
  [
    "unpacks to far more than its size",
    gzipSync(Buffer.alloc(65 * 1024 * 1024)),
  ],
  ["announces more than it has", undefined],
])("a file that %s is refused", async (_, content) => {
  const { folder, plugins } = await start();
  const file = join(folder, "it.tgz");
  if (content) await writeFile(file, content);
  else
    await writeTarball(file, [
      ...packageEntries(),
      { name: "package/big", size: 0o7777777777 },
    ]);
  await expect(installTarball(file, plugins)).rejects.toMatchObject({
    code: "PLUGIN_INVALID",
  });
  expect(await readdir(plugins)).toEqual([]);
});

test("an archive of too many files is refused", async () => {
  const { plugins, install } = await start();
  const many = Array.from({ length: 5_001 }, (_, n) => ({
    name: `package/${n}`,
  }));
  await expect(install([...packageEntries(), ...many])).rejects.toMatchObject({
    code: "PLUGIN_INVALID",
  });
  expect(await readdir(plugins)).toEqual([]);
});
