import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { startTestKernel } from "../../../testing/src/index.ts";
import { pluginCode } from "@gantry/test-support/daemon";
import { openRaw, renderRequest } from "@gantry/test-support/raw-http";
import { temporaryFolder } from "@gantry/test-support/temporary";
import { createProbe, hello } from "../support/probe.ts";

/** A delivered essential plugin with a page, in a folder of plugins. */
async function createEssential(): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "early"));
  const manifest = {
    name: "gantry-plugin-early",
    type: "module",
    gantry: { api: 1, server: "./server.mjs", essential: true },
  };
  await writeFile(join(folder, "early/package.json"), JSON.stringify(manifest));
  const page = `{ kind: "text", mediaType: "text/plain", text: "early" }`;
  const code = pluginCode(
    "early",
    `ctx.content({ path: "/early", access: "public", handle: () => (${page}) });
     ctx.whenStarted(() => ctx.log.info("All have started"));`,
  ).replace('mounts: ["/api/early"]', 'mounts: ["/early"]');
  await writeFile(join(folder, "early/server.mjs"), code);
  return folder;
}

test("pages and sessions answer while other plugins start, and their operations wait", async () => {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  let begin = (_origin: string) => {};
  const begun = new Promise<string>((resolve) => (begin = resolve));
  const slow = createProbe({
    async setup(ctx) {
      ctx.route(hello("/api/probe"));
      begin(ctx.localOrigin);
      await finished;
    },
  });
  const starting = startTestKernel([slow], {
    pluginFolder: await createEssential(),
  });
  onTestFinished(async () => {
    finish();
    await (await starting).stop();
  });
  const base = await begun;
  expect(await (await fetch(`${base}/early`)).text()).toBe("early");
  expect((await fetch(`${base}/api/auth/session`)).status).toBe(401);
  const { host, port } = new URL(base);
  let isFinished = false;
  // Raw, since `fetch` resolves dots by itself; and sent before the next request is made.
  const waiting: Promise<object>[] = [];
  for (const target of [
    "/api/probe",
    "/api/plugins",
    "/api/%70robe",
    "/./api/probe",
    "/early/../api/probe",
    "/api/auth/../probe",
    "/early/..\\api/probe",
  ]) {
    const raw = await openRaw(Number(port));
    raw.write(renderRequest({ target, headers: [["host", host]] }));
    const answered = raw.answer();
    waiting.push(
      answered.then(({ status }) => ({ target, status, isFinished })),
    );
  }
  // A request that is answered out of turn would be by the time that another one is.
  for (const _ of waiting)
    expect((await fetch(`${base}/early`)).status).toBe(200);
  isFinished = true;
  finish();
  const kernel = await starting;
  for (const answer of await Promise.all(waiting))
    expect(answer).toMatchObject({ status: 401, isFinished: true });
  await vi.waitFor(() =>
    expect(kernel.log).toContainEqual(
      expect.objectContaining({ message: "All have started" }),
    ),
  );
});
