import { execFileSync } from "node:child_process";
import {
  link,
  lstat,
  mkdir,
  readdir,
  readlink,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { WholeHome } from "@gantry/plugin";
import { startProbe } from "../support/probe.ts";
import { makeStage, readHome, replaceWith } from "../support/whole-home.ts";

const line = (key: string, text = "{}") => `${JSON.stringify({ key, text })}\n`;

/** What makes a folder no stage, by what is wrong with it. */
const REFUSED: Record<string, (stage: string, home: WholeHome) => unknown> = {
  "no store": (stage) => mkdir(join(stage, "data")),
  "another file": (stage) => storeWith(stage, {}, { "notes.txt": "" }),
  "another folder": (stage) => storeWith(stage, {}, { "plugins/a/b": "" }),
  "the file of no namespace": (stage) => storeWith(stage, { "No-Id": "" }),
  "a line that is no JSON": (stage) =>
    storeWith(stage, { lists: `${line("lists:a")}{"key":"lists:b"\n` }),
  "a line without a text": (stage) =>
    storeWith(stage, { lists: '{"key":"lists:a"}\n' }),
  "a line that is no object": (stage) => storeWith(stage, { lists: "null\n" }),
  "an empty line": (stage) => storeWith(stage, { lists: "\n" }),
  "a file that is cut short": (stage) =>
    storeWith(stage, { lists: line("lists:a").slice(0, -3) }),
  "bytes that are no UTF-8": (stage) =>
    storeWith(stage, { lists: Buffer.from([0x7b, 0xff, 0x0a]) }),
  "keys of another namespace": (stage) =>
    storeWith(stage, { lists: line("kernel:lease") }),
  "a key without a name": (stage) =>
    storeWith(stage, { lists: line("lists:") }),
  "a key that is none": (stage) =>
    storeWith(stage, { lists: line("lists:a/../b") }),
  "keys out of order": (stage) =>
    storeWith(stage, { lists: line("lists:b") + line("lists:a") }),
  "a key twice": (stage) =>
    storeWith(stage, { lists: line("lists:a") + line("lists:a") }),
  "the folder of no plugin": (stage) =>
    storeWith(stage, {}, { "data/../data/Lists/a": "" }),
  "a folder of the kernel": (stage) =>
    storeWith(stage, {}, { "data/kernel/a": "" }),
  "a file beside the folders": (stage) =>
    storeWith(stage, {}, { "data/lists": "" }),
  "a link in a folder": async (stage) => {
    await storeWith(stage, {}, { "data/lists/a": "" });
    await symlink("/etc", join(stage, "data/lists/etc"));
  },
  "a link out of the folder of its plugin": async (stage) => {
    await storeWith(stage, {}, { "data/lists/a/b": "" });
    await symlink("../../other/a", join(stage, "data/lists/a/c"));
  },
  "a link that goes up behind another link": async (stage) => {
    await storeWith(stage, {}, { "data/lists/a/b/c": "" });
    await symlink("../..", join(stage, "data/lists/a/b/up"));
    await symlink("a/b/up/../x", join(stage, "data/lists/out"));
  },
  "a link for a folder": async (stage) => {
    await storeWith(stage, {}, { "data/lists/a": "" });
    await symlink("/etc", join(stage, "data/other"));
  },
  "a link for the store": (stage) => symlink("/etc", join(stage, "store")),
  "a link for a file of the home": async (stage) => {
    await storeWith(stage, {});
    await symlink("/etc/hostname", join(stage, "token"));
  },
  "a file that has another name elsewhere": async (stage, { folder }) => {
    await storeWith(stage, {}, { "data/lists/a": "" });
    await link(join(stage, "data/lists/a"), join(folder, "other-name"));
  },
  "a named pipe": async (stage) => {
    await storeWith(stage, {}, { "data/lists/a": "" });
    execFileSync("mkfifo", [join(stage, "data/lists/pipe")]);
  },
  "a configuration that is no JSON": (stage) =>
    storeWith(stage, {}, { "config.json": "{" }),
  "a configuration that does not fit": (stage) =>
    storeWith(stage, {}, { "config.json": '{"port":"many"}' }),
};

async function storeWith(
  stage: string,
  namespaces: Record<string, string | Buffer>,
  files: Record<string, string> = {},
): Promise<void> {
  await mkdir(join(stage, "store"), { recursive: true });
  for (const [name, content] of Object.entries(namespaces))
    await writeFile(join(stage, "store", `${name}.ndjson`), content);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(stage, path, ".."), { recursive: true });
    await writeFile(join(stage, path), content);
  }
}

const replaceBy = (wholeHome: WholeHome, stage: string) =>
  wholeHome.replace({ stage, mode: "replace", keepsSessions: true, note: {} });

describe("a stage is refused, and all stays as it is, for", () => {
  test.each(Object.entries(REFUSED))("%s", async (_name, fill) => {
    await using kernel = await startProbe({ id: "lists" });
    const { wholeHome, store } = kernel.ctx;
    await store.set("kept", {});
    const before = await readHome(wholeHome);
    const stage = await wholeHome.stage();
    await fill(stage, wholeHome);
    await expect(replaceBy(wholeHome, stage)).rejects.toThrow(TypeError);
    expect(await readHome(wholeHome)).toEqual(before);
    expect(await readdir(join(kernel.home, "restore"))).not.toContain(
      "replacement.json",
    );
    // It does not keep another one from being made.
    const replaced = kernel.replaced();
    await replaceWith(wholeHome, { store: {} });
    await replaced;
    expect(await kernel.ctx.store.keys("")).toEqual([]);
  });
});

test("a folder that is no stage of this home is refused", async () => {
  await using kernel = await startProbe();
  const { wholeHome } = kernel.ctx;
  const stage = await makeStage(wholeHome, { store: {} });
  await symlink(stage, join(kernel.home, "restore", "linked"));
  const replacement = {
    mode: "replace",
    keepsSessions: true,
    note: {},
  } as const;
  for (const folder of [
    kernel.home,
    join(kernel.home, "restore"),
    join(stage, "store"),
    `${stage}/../../data`,
    join(kernel.home, "restore", "linked"),
    join(kernel.home, "restore", "missing"),
    "",
  ])
    await expect(
      wholeHome.replace({ ...replacement, stage: folder }),
      folder,
    ).rejects.toThrow(TypeError);
  await expect(
    wholeHome.replace({ ...replacement, stage, mode: "mix" as never }),
  ).rejects.toThrow(TypeError);
  await expect(
    wholeHome.replace({
      ...replacement,
      stage,
      note: { text: "x".repeat(4096) },
    }),
  ).rejects.toThrow(TypeError);
});

test("what belongs to the kernel or to the caller is not merged, nor are files of the home", async () => {
  await using kernel = await startProbe({ id: "lists" });
  const merge = (staged: Parameters<typeof replaceWith>[1]) =>
    replaceWith(kernel.ctx.wholeHome, staged, { mode: "merge" });
  const refused: Parameters<typeof merge>[0][] = [
    { store: { kernel: [] } },
    { store: { auth: [] } },
    { store: { lists: [] } },
    { files: { "data/lists/a": "" } },
    { files: { "config.json": "{}" } },
    { files: { token: "x" } },
  ];
  for (const staged of refused)
    await expect(merge(staged)).rejects.toThrow(TypeError);
});

test("a file that stays may be staged as a second name of itself", async () => {
  await using kernel = await startProbe({ id: "lists" });
  const { wholeHome } = kernel.ctx;
  const folder = await kernel.ctx.folder();
  await writeFile(join(folder, "kept"), "kept");
  await writeFile(join(folder, "gone"), "gone");
  const stage = await makeStage(wholeHome, { store: {} });
  await mkdir(join(stage, "data/lists"), { recursive: true });
  await link(join(folder, "kept"), join(stage, "data/lists/kept"));
  const replaced = kernel.replaced();
  await wholeHome.replace({
    stage,
    mode: "replace",
    keepsSessions: true,
    note: {},
  });
  await replaced;
  expect(await readdir(folder)).toEqual(["kept"]);
});

test("links within, empty folders and what stays are put in place", async () => {
  await using kernel = await startProbe({ id: "lists" });
  const { wholeHome } = kernel.ctx;
  const folder = await kernel.ctx.folder();
  await symlink("/etc/hostname", join(folder, "outside"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
  await writeFile(join(folder, "one"), "text");
  await link(join(folder, "one"), join(kernel.home, "other-name"));
  const stage = await makeStage(wholeHome, { store: {} });
  const staged = join(stage, "data/lists");
  await mkdir(join(staged, "a/empty"), { recursive: true });
  await symlink("../one", join(staged, "a/within"));
  await symlink("/etc/hostname", join(staged, "outside"));
  for (const name of ["pipe", "one"])
    await link(join(folder, name), join(staged, name));
  const replaced = kernel.replaced();
  await replaceBy(wholeHome, stage);
  await replaced;
  expect((await readdir(folder, { recursive: true })).sort()).toEqual([
    ...["a", "a/empty", "a/within", "one", "outside", "pipe"],
  ]);
  expect(await readlink(join(folder, "a/within"))).toBe("../one");
  expect((await lstat(join(folder, "pipe"))).isFIFO()).toBe(true);
  expect((await lstat(join(folder, "one"))).nlink).toBe(2);
});

test("using it after the plugin has stopped rejects, and an image that is open is closed", async () => {
  await using kernel = await startProbe({ id: "lists" });
  const { wholeHome, store } = kernel.ctx;
  await store.set("a", {});
  const { signal } = new AbortController();
  const image = await wholeHome.readStore(signal);
  const stage = await makeStage(wholeHome, { store: {} });
  await kernel.kernel.plugins.stop("lists");
  const stopped = { code: "PLUGIN_STOPPED" };
  await expect(
    image.namespaces[Symbol.asyncIterator]().next(),
  ).rejects.toMatchObject(stopped);
  await expect(wholeHome.readStore(signal)).rejects.toMatchObject(stopped);
  await expect(wholeHome.stage()).rejects.toMatchObject(stopped);
  await expect(replaceBy(wholeHome, stage)).rejects.toMatchObject(stopped);
});

test("an image whose reading is given up is closed", async () => {
  await using kernel = await startProbe({ id: "lists" });
  await kernel.ctx.store.set("a", {});
  const abort = new AbortController();
  const image = await kernel.ctx.wholeHome.readStore(abort.signal);
  const reason = new Error("No longer wanted.");
  abort.abort(reason);
  await expect(image.namespaces[Symbol.asyncIterator]().next()).rejects.toBe(
    reason,
  );
  await expect(kernel.ctx.wholeHome.readStore(abort.signal)).rejects.toBe(
    reason,
  );
});
