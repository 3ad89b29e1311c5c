import {
  cp,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { discoverPlugins } from "@gantry/system/plugin-packages/discover";
import {
  installTarball,
  mendInstallations,
} from "@gantry/system/plugin-packages/install";
import type { PluginPackage } from "@gantry/system/plugin-packages/manifest";
import { putPlugin } from "../support/daemon.ts";
import {
  longPaths,
  packageEntries,
  paxRecord,
  writeTarball,
} from "../support/tarball.ts";
import type { TarEntry } from "../support/tarball.ts";
import { temporaryFolder } from "@gantry/build/testing";

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
  const folder = join(plugins, "@acme+sample");
  expect(installed).toMatchObject({
    name: "@acme+sample",
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

const LONG = `package/${"folder-of-some-length/".repeat(6)}a-file.txt`;

test.each(Object.entries(longPaths))(
  "a path of 150 bytes is unpacked, written with %s",
  async (_, entriesOf) => {
    const { install } = await start();
    expect(LONG.length).toBeGreaterThan(140);
    const { folder } = await install([
      ...packageEntries(),
      ...entriesOf(LONG, "long"),
      { name: "package/after.txt", content: "after" },
    ]);
    const read = (path: string) =>
      readFile(join(folder, path.replace("package/", "")), "utf8");
    expect(await read(LONG)).toBe("long");
    expect(await read("package/after.txt")).toBe("after");
    expect(await readdir(folder)).not.toContain("cut");
  },
);

test("packages whose names differ in punctuation have folders of their own", async () => {
  const { plugins, install } = await start();
  const names = ["@a/b", "a__b", "@a__b/c", "@a/b__c", "a-b", "a.b", "@a/b.c"];
  for (const name of names) {
    await install(packageEntries({ name }));
    await install(packageEntries({ name, version: "2.0.0" }));
  }
  const found = await discoverPlugins(plugins);
  expect(
    found.packages.map(
      ({ packageName, version }) => `${packageName} ${version}`,
    ),
  ).toEqual(expect.arrayContaining(names.map((name) => `${name} 2.0.0`)));
  expect(found.packages).toHaveLength(names.length);
});

test("a package stays in the folder that an earlier version put it in", async () => {
  const { plugins, install } = await start();
  // Both names were written as `a__b` once.
  await putPlugin(join(plugins, ".."), "a__b", "export default 1;", "@a/b");
  const updated = await install(packageEntries({ name: "@a/b" }));
  expect(updated.folder).toBe(join(plugins, "a__b"));
  const other = await install(packageEntries({ name: "a__b" }));
  expect(other.folder).not.toBe(updated.folder);
  const again = await install(packageEntries({ name: "a__b" }));
  expect(again.folder).toBe(other.folder);
  expect(await readdir(plugins)).toHaveLength(2);
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
  "an unknown type": [{ name: "package/odd", type: "Z" }],
  "a long name that leads out": [
    { name: "././@LongLink", type: "L", content: "../../evil.txt\0" },
    { name: "package/short.txt", ...evil },
  ],
  "an extended name that leads out": [
    {
      name: "package/pax",
      type: "x",
      content: paxRecord("path", "/tmp/canary-evil.txt"),
    },
    { name: "package/short.txt", ...evil },
  ],
  "an extended name that is a number": [
    { name: "package/pax", type: "x", content: paxRecord("path", "12") },
    { name: "package/short.txt", ...evil },
  ],
  "an extended header that makes a link a file": [
    { name: "package/pax", type: "x", content: paxRecord("type", "File") },
    { name: "package/link", type: "2", link: "/etc/passwd" },
    { name: "package/link/evil.txt", ...evil },
  ],
  "a prefix that leads out": [
    { name: "evil.txt", prefix: "package/../..", ...evil },
  ],
  "an absolute prefix": [{ name: "canary-evil.txt", prefix: "/tmp", ...evil }],
  "a link whose name is long": [
    { name: "././@LongLink", type: "K", content: "/etc/passwd\0" },
    { name: "package/link", type: "2", link: "x" },
  ],
  "an extended header of 2 MiB": [
    { name: "package/pax", type: "x", content: "x".repeat(2 * 1024 * 1024) },
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
  "a name with two slashes": packageEntries({ name: "@a/b/c" }),
  "the name of a part of the kernel": packageEntries({ name: "auth" }),
  "the name of the kernel": packageEntries({ name: "kernel" }),
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

test("an archive in an archive is refused", async () => {
  const { folder, plugins } = await start();
  const inner = await readFile(
    await writeTarball(join(folder, "inner.tgz"), packageEntries()),
  );
  const file = join(folder, "it.tgz");
  for (const content of [inner, gzipSync(Buffer.alloc(1024 * 1024))]) {
    await writeFile(file, gzipSync(content));
    await expect(installTarball(file, plugins)).rejects.toMatchObject({
      code: "PLUGIN_INVALID",
    });
  }
  expect(await readdir(plugins)).toEqual([]);
});

test("a package that is not accepted leaves the earlier one as it was", async () => {
  const { folder, plugins, install } = await start();
  await install(packageEntries({}, "export default 1;"));
  const later = await writeTarball(
    join(folder, "later.tgz"),
    packageEntries({ version: "2.0.0" }, "export default 2;"),
  );
  const refuse = async ({ server }: PluginPackage) => {
    expect(await readFile(server ?? "", "utf8")).toBe("export default 2;");
    throw new Error("Not accepted");
  };
  await expect(installTarball(later, plugins, refuse)).rejects.toThrow(
    "Not accepted",
  );
  expect(await readdir(plugins)).toEqual(["gantry-plugin-sample"]);
  const server = join(plugins, "gantry-plugin-sample", "dist", "server.mjs");
  expect(await readFile(server, "utf8")).toBe("export default 1;");
});

test("what a crash in the middle of an installation left is put right", async () => {
  const { folder, plugins, install } = await start();
  await install(packageEntries({}, "export default 1;"));
  await install(packageEntries({ name: "@acme/other" }));
  const at = (name: string) => join(plugins, name);
  await mkdir(at(".staging-0123456789ab"));
  // Between the two renames of an update, and right after them.
  await rename(at("gantry-plugin-sample"), at(".previous-0123456789ab"));
  await cp(at("@acme+other"), at(".previous-ba9876543210"), {
    recursive: true,
  });
  await mkdir(at(".mine"));
  await mendInstallations(plugins);
  expect((await readdir(plugins)).sort()).toEqual([
    ".mine",
    "@acme+other",
    "gantry-plugin-sample",
  ]);
  const server = join(at("gantry-plugin-sample"), "dist", "server.mjs");
  expect(await readFile(server, "utf8")).toBe("export default 1;");
  await mendInstallations(join(folder, "nowhere"));
});

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

test.each([
  ["the later version cannot be moved into its place", /\.staging-/],
  ["the earlier one cannot be moved back at once", /\.(staging|previous)-/],
])("the earlier version is not lost if %s", async (_, fails) => {
  const { folder, plugins, install } = await start();
  await install(packageEntries({ name: "sample" }, "export default 1;"));
  const later = await writeTarball(
    join(folder, "later.tgz"),
    packageEntries({ name: "sample" }, "export default 2;"),
  );
  const move = async (from: string, to: string) => {
    if (fails.test(from)) throw new Error("It cannot be moved");
    await rename(from, to);
  };
  const accept = () => Promise.resolve();
  await expect(installTarball(later, plugins, accept, move)).rejects.toThrow(
    "It cannot be moved",
  );
  await mendInstallations(plugins);
  expect(await readdir(plugins)).toEqual(["sample"]);
  const server = join(plugins, "sample", "dist", "server.mjs");
  expect(await readFile(server, "utf8")).toBe("export default 1;");
});
