import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startTestKernel } from "../../../testing/src/index.ts";
import type { TestKernelOptions } from "../../../testing/src/index.ts";
import { createShell } from "../support/shell.ts";
import { temporaryFolder } from "@gantry/build/testing";

const OWN_SHEET = /^\/plugins\/pages\/ui\/style\.css\?v=[0-9a-f]{12}$/;

/** A folder of plugins with one that has pages and nothing else. */
async function createPluginFolder(into?: string): Promise<string> {
  const folder = into ?? (await temporaryFolder());
  const files = {
    "pages/package.json": JSON.stringify({
      name: "pages",
      version: "1.0.0",
      gantry: { api: 1, ui: "./dist/ui/ui.mjs" },
    }),
    "pages/dist/ui/ui.mjs": "export default {};",
    "pages/dist/ui/style.css": ".x{}",
    "pages/dist/ui/candidates.json": '["underline", "p-[13px]"]',
    "pages/dist/ui/chunks/page.mjs": "export {};",
    "pages/dist/server.mjs": "secret of the server",
    "pages/secret.txt": "secret",
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, ".."), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  await symlink(
    join(folder, "pages/secret.txt"),
    join(folder, "pages/dist/ui/link.txt"),
  );
  await symlink(join(folder, "pages"), join(folder, "pages/dist/ui/away"));
  return folder;
}

interface Plugins {
  items: {
    id: string;
    state: string;
    ui: { entry: string; css: string | null } | null;
  }[];
}

async function start(options: Partial<TestKernelOptions> = {}) {
  const folder = await createPluginFolder();
  const kernel = await startTestKernel([], {
    pluginFolder: folder,
    shell: await createShell(),
    ...options,
  });
  const uiOf = async () =>
    (await kernel.api.get<Plugins>("/api/plugins")).body.items.find(
      ({ id }) => id === "pages",
    )?.ui;
  return Object.assign(kernel, { uiOf, folder });
}

test("a plugin with pages only is active, and its address changes when its files do", async () => {
  await using kernel = await start();
  const ui = await kernel.uiOf();
  expect(ui).toEqual({
    entry: expect.stringMatching(
      /^\/plugins\/pages\/ui\/ui\.mjs\?v=[0-9a-f]{12}$/,
    ) as string,
    // In the sheet of all.
    css: null,
  });
  const entry = await kernel.api.get<string>(ui?.entry ?? "");
  expect(entry.body).toBe("export default {};");
  expect(entry.headers.get("content-type")).toBe(
    "text/javascript; charset=utf-8",
  );
  expect(entry.headers.get("cache-control")).toContain("immutable");
  expect(
    (
      await kernel.api.get<string>("/plugins/pages/ui/chunks/page.mjs")
    ).headers.get("cache-control"),
  ).toContain("immutable");
  const pages = kernel.kernel.plugins.list().find(({ id }) => id === "pages");
  await writeFile(
    pages?.package?.ui ?? "",
    "export default { changed: true };",
  );
  expect((await kernel.uiOf())?.entry).not.toBe(ui?.entry);
});

test("styles of a delivered plugin are in the sheet of all, unless they name files", async () => {
  await using kernel = await start();
  const sheetOf = async () =>
    (await kernel.stranger.get<string>("/ui/utilities.css")).body;
  expect(await sheetOf()).toMatch(/\.underline[^]*\.x\{\}/);
  const style = join(kernel.folder, "pages/dist/ui/style.css");
  await writeFile(style, ".x{background:url(picture.png)}");
  expect(await sheetOf()).not.toContain(".x{");
  expect((await kernel.uiOf())?.css).toMatch(OWN_SHEET);
});

test("an added plugin keeps a sheet of its own, so that a broken one reaches no other", async () => {
  const home = await temporaryFolder();
  await createPluginFolder(join(home, "plugins"));
  await using kernel = await start({ home, pluginFolder: undefined });
  expect((await kernel.uiOf())?.css).toMatch(OWN_SHEET);
  const sheet = await kernel.stranger.get<string>("/ui/utilities.css");
  expect(sheet.body).toContain(".underline");
  expect(sheet.body).not.toContain(".x{}");
});

test("only paired clients get them", async () => {
  await using kernel = await start();
  const ui = await kernel.uiOf();
  for (const path of [
    ui?.entry ?? "",
    "/plugins/pages/ui/style.css",
    "/plugins/nobody/ui/x.mjs",
  ])
    expect(await kernel.stranger.get(path), path).toMatchObject({
      status: 401,
      body: { code: "AUTH_NOT_PAIRED" },
    });
});

test("nothing but the folder of the pages is served", async () => {
  await using kernel = await start();
  const paths = [
    "../server.mjs",
    "../../secret.txt",
    "..%2fserver.mjs",
    "%2e%2e/server.mjs",
    "..%5cserver.mjs",
    "",
    "chunks",
    "%00",
    "ui.mjs%00.txt",
    "//ui.mjs/../../server.mjs",
    "link.txt",
    "away/secret.txt",
  ];
  for (const path of paths) {
    const answer = await kernel.api.open(`/plugins/pages/ui/${path}`);
    expect(answer.status, path).toBeGreaterThanOrEqual(400);
    expect(await answer.text(), path).not.toContain("secret");
  }
  for (const path of [
    "/plugins/nobody/ui/ui.mjs",
    "/plugins/pages/server.mjs",
    "/plugins/..%2fpages/ui/ui.mjs",
    "/plugins/pages/ui/missing.mjs",
  ])
    expect((await kernel.api.get(path)).status, path).toBe(404);
});

test("one sheet has the classes of the shell and of all plugins, and is rebuilt when they change", async () => {
  await using kernel = await start();
  const sheet = await kernel.stranger.get<string>("/ui/utilities.css");
  expect(sheet.status).toBe(200);
  expect(sheet.headers.get("content-type")).toBe("text/css; charset=utf-8");
  expect(sheet.headers.get("cache-control")).toBe("no-cache");
  for (const rule of [".flex", ".underline", ".p-\\[13px\\]"])
    expect(sheet.body, rule).toContain(rule);
  expect(sheet.body).not.toContain(".hidden");
  const cached = () => readdir(join(kernel.home, "cache", "utilities"));
  expect(await cached()).toHaveLength(3);
  await kernel.kernel.plugins.stop("pages");
  const smaller = await kernel.stranger.get<string>("/ui/utilities.css");
  expect(smaller.body).toContain(".flex");
  expect(smaller.body).not.toContain(".underline");
  expect(await cached()).toHaveLength(3);
  const { etag } = Object.fromEntries(smaller.headers);
  expect(etag).not.toBe(sheet.headers.get("etag"));
});
