import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  createFakeClock,
  startTestKernel,
} from "../../../testing/src/index.ts";
import { MAX_HELD_MS } from "../../src/start-plugins.ts";
import { startProbe, statusOf } from "../support/probe.ts";
import { createShell } from "../support/shell.ts";
import { temporaryFolder } from "@gantry/build/testing";

/** Puts a built plugin that says of itself that it is a part of the daemon into a folder. */
async function putSystemPlugin(folder: string, setup: string): Promise<void> {
  const files = {
    "package.json": JSON.stringify({
      name: "part",
      version: "1.0.0",
      type: "module",
      gantry: { api: 1, system: true, server: "./server.js" },
    }),
    "server.js": `export default { id: "part", api: 1, summary: "x", mounts: [""], setup(ctx) { ${setup} } };`,
  };
  await mkdir(join(folder, "part"), { recursive: true });
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, "part", name), content);
}

const HANDLER =
  'ctx.handler({ path: "/part/**", summary: "x", access: "public", handle: () => ({ own: ctx.home }) });';

test("one that is delivered has public addresses of its own, also with --safe, and is in no list", async () => {
  const pluginFolder = await temporaryFolder();
  await putSystemPlugin(pluginFolder, HANDLER);
  await using kernel = await startTestKernel([], {
    pluginFolder,
    shell: await createShell(),
    config: { safe: true },
  });
  expect(await kernel.stranger.get("/part/a/b")).toMatchObject({
    status: 200,
    body: { own: kernel.home },
  });
  expect((await kernel.stranger.get("/?here")).status).toBe(200);
  expect((await kernel.api.get("/api/plugins")).body).toEqual({
    items: [],
    nextCursor: null,
  });
  expect(kernel.kernel.plugins.list()).toEqual([]);
});

test("pages answer before other plugins have started; what depends on those waits for them", async () => {
  const statuses: Record<string, number> = {};
  const asking: Promise<unknown>[] = [];
  await using kernel = await startProbe(
    {
      async setup({ localOrigin }) {
        const ask = async (path: string) => {
          const headers = { origin: localOrigin };
          const { status } = await fetch(localOrigin + path, { headers });
          statuses[path] = status;
        };
        asking.push(ask("/api/system"), ask("/ui/utilities.css"));
        await ask("/?here");
        await ask("/favicon.svg");
        expect(statuses).toEqual({ "/?here": 200, "/favicon.svg": 200 });
      },
    },
    { shell: await createShell() },
  );
  expect(statusOf(kernel, "probe")).toEqual({ state: "active", reason: null });
  await Promise.all(asking);
  expect(statuses).toMatchObject({
    "/api/system": 401,
    "/ui/utilities.css": 200,
  });
});

test("what depends on plugins is not held back for ever by one that does not get ready", async () => {
  const clock = createFakeClock();
  const statuses: number[] = [];
  await using kernel = await startProbe(
    {
      async setup({ localOrigin }) {
        const ask = async (path: string) =>
          statuses.push((await fetch(localOrigin + path)).status);
        const asking = ask("/api/system");
        await clock.advance(MAX_HELD_MS);
        await asking;
        await ask("/api/probe/unknown");
      },
    },
    { clock },
  );
  expect(statusOf(kernel, "probe")).toEqual({ state: "active", reason: null });
  expect(statuses).toEqual([401, 401]);
});

test("of all handlers only the pages and their styles are public", async () => {
  await using kernel = await startTestKernel([], {
    shell: await createShell(),
  });
  const handlers = kernel.kernel.http.app.table
    .handlers()
    .map(({ definition }) => definition);
  const open: string[] = [];
  for (const { path } of handlers) {
    const address = path.replace(/\{\w+\}/, "x").replace("**", "x?here");
    const { status } = await kernel.stranger.get(address);
    if (status !== 401) open.push(path);
  }
  expect(open).toEqual(["/**", "/ui/utilities.css"]);
  expect(handlers.length).toBeGreaterThan(open.length);
});

test("of all plugins only they let records out of quarantine", async () => {
  const pluginFolder = await temporaryFolder();
  await putSystemPlugin(
    pluginFolder,
    'ctx.handler({ path: "/part", summary: "x", access: "public", handle: () => ({ quarantine: ctx.daemon.quarantine.list() }) });',
  );
  await using kernel = await startProbe({}, { pluginFolder });
  expect((await kernel.stranger.get("/part")).body).toEqual({ quarantine: [] });
  expect(kernel.ctx.daemon.quarantine).toBeUndefined();
});

test("no plugin can have the id of one", async () => {
  await using kernel = await startProbe({ id: "doctor" });
  expect(statusOf(kernel, "doctor@2")).toMatchObject({ state: "failed" });
});

test("one that was added is refused", async () => {
  const home = await temporaryFolder();
  await putSystemPlugin(join(home, "plugins"), HANDLER);
  await using kernel = await startTestKernel([], { home });
  expect(statusOf(kernel, "part")).toEqual({
    state: "failed",
    reason: expect.stringContaining("system plugin") as string,
  });
  expect((await kernel.api.get("/part/a")).status).toBe(404);
});

test("one that cannot be started is missing, and the daemon serves all the same", async () => {
  const pluginFolder = await temporaryFolder();
  await putSystemPlugin(pluginFolder, 'throw new Error("It is broken.");');
  await using kernel = await startTestKernel([], { pluginFolder });
  kernel.expectFault(/Start failed.*It is broken/);
  expect((await kernel.api.get("/api/system")).status).toBe(200);
});
