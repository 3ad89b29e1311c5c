import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { defineService, NoticeRaised } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import * as z from "zod";
import { startTestKernel } from "../../../testing/src/index.ts";
import { putPlugin } from "../support/daemon.ts";
import { temporaryFolder } from "@gantry/build/testing";
import { createProbe, hello, startProbe, statusOf } from "../support/probe.ts";

const Greeter = defineService<{ greet(): Promise<string> }>("test.greeter@1");

/** A plugin that gives the service. */
const createGreeter = () =>
  createProbe({
    id: "provider",
    provides: [Greeter],
    setup: (ctx) => void ctx.provide(Greeter, { greet: async () => "hello" }),
  });

test("a plugin starts after what it needs and stops before it", async () => {
  const order: string[] = [];
  const noting = (id: string) => (ctx: PluginContext) => {
    order.push(`+${id}`);
    ctx.own(() => void order.push(`-${id}`));
  };
  const consumer = createProbe({
    id: "consumer",
    needs: { greeter: Greeter },
    async setup(ctx) {
      noting("consumer")(ctx as PluginContext);
      expect(
        await (
          ctx.needs as { greeter: { greet(): Promise<string> } }
        ).greeter.greet(),
      ).toBe("hello");
    },
  });
  const provider = createProbe({
    id: "provider",
    provides: [Greeter],
    setup(ctx) {
      noting("provider")(ctx);
      ctx.provide(Greeter, { greet: async () => "hello" });
    },
  });
  await using kernel = await startTestKernel([consumer, provider]);
  expect(order).toEqual(["+provider", "+consumer"]);
  await kernel.kernel.plugins.stop("provider");
  expect(order).toEqual(["+provider", "+consumer", "-consumer", "-provider"]);
  await kernel.kernel.plugins.start();
  expect(statusOf(kernel, "consumer").state).toBe("active");
});

test("a wanted service is there while its provider is", async () => {
  await using kernel = await startProbe(
    { wants: { greeter: Greeter } },
    { beside: [createGreeter()] },
  );
  const greeter = kernel.ctx.wants.greeter as () => unknown;
  expect(greeter()).toBeDefined();
  await kernel.kernel.plugins.stop("provider");
  expect(greeter()).toBeUndefined();
  expect(statusOf(kernel, "probe").state).toBe("active");
});

test("a plugin hears each time a wanted service is there", async () => {
  await using kernel = await startProbe(
    { wants: { greeter: Greeter } },
    { beside: [createGreeter()] },
  );
  const { plugins } = kernel.kernel;
  const heard: string[] = [];
  const stop = kernel.ctx.whenThere(Greeter, async (greeter, gone) => {
    heard.push(await greeter.greet());
    gone.addEventListener("abort", () => heard.push("gone"));
  });
  await vi.waitFor(() => expect(heard).toEqual(["hello"]));
  await plugins.stop("provider");
  expect(heard).toEqual(["hello", "gone"]);
  await plugins.start();
  await vi.waitFor(() => expect(heard).toHaveLength(3));
  stop();
  expect(heard).toEqual(["hello", "gone", "hello", "gone"]);
  await plugins.stop("provider");
  await plugins.start();
  expect(heard).toHaveLength(4);
});

test("what a plugin does with a wanted service costs no other plugin anything", async () => {
  const broken = createProbe({
    id: "broken",
    wants: { greeter: Greeter },
    setup: (ctx) =>
      void ctx.whenThere(Greeter, () => {
        throw new Error("It cannot");
      }),
  });
  await using kernel = await startTestKernel([broken, createGreeter()]);
  kernel.expectFault(/A service could not be used/);
  for (const id of ["broken", "provider"])
    expect(statusOf(kernel, id).state).toBe("active");
});

test("only what is declared as wanted is waited for", async () => {
  await using kernel = await startProbe();
  expect(() => kernel.ctx.whenThere(Greeter, () => undefined)).toThrow(
    /does not declare test\.greeter@1 in its wants/,
  );
});

test.each([
  [
    "throws",
    () => {
      throw new Error("It cannot");
    },
    "It cannot",
  ],
  ["rejects", () => Promise.reject(new Error("It cannot")), "It cannot"],
  [
    "throws nothing that is an error",
    () => Promise.reject("It cannot"),
    "its setup threw something that is no error",
  ],
])(
  "a setup that %s costs no other plugin anything",
  async (_, setup, reason) => {
    const broken = createProbe({ id: "broken", setup });
    const fine = createProbe({
      id: "fine",
      setup: (ctx) => void ctx.route(hello("/api/fine")),
    });
    await using kernel = await startTestKernel([broken, fine]);
    kernel.expectFault(/It cannot/);
    expect(statusOf(kernel, "broken")).toEqual({ state: "failed", reason });
    expect(await kernel.api.get("/api/fine")).toMatchObject({ status: 200 });
    expect(await kernel.api.get("/api/broken/thing")).toMatchObject({
      status: 503,
      body: {
        code: "PLUGIN_UNAVAILABLE",
        detail: expect.stringMatching(/"broken" is failed/) as string,
      },
    });
    const { body } = await kernel.api.get("/api/events/log", {
      types: NoticeRaised.type,
    });
    expect(body).toMatchObject({
      items: [{ subject: "broken", data: { severity: "error", body: reason } }],
    });
  },
);

test("what a 503 says of a plugin has nothing of the fault in it", async () => {
  const setup = () => Promise.reject(new Error("ENOENT: /home/user/secret"));
  await using kernel = await startTestKernel([createProbe({ setup })]);
  kernel.expectFault(/ENOENT/);
  const { body } = await kernel.api.get("/api/probe");
  expect(JSON.stringify(body)).not.toMatch(/ENOENT|secret/);
});

test("a setup that hangs is given up after 10 s, and what it tries later is refused", async () => {
  let late: PluginContext | undefined;
  const hanging = createProbe({
    id: "hanging",
    setup(ctx) {
      late = ctx;
      ctx.route(hello("/api/hanging"));
      return new Promise(() => {});
    },
  });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const starting = startTestKernel([hanging, createProbe({ id: "fine" })]);
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0));
  while (!late) await new Promise((resolve) => setImmediate(resolve));
  vi.advanceTimersByTime(10_000);
  vi.useRealTimers();
  await using kernel = await starting;
  kernel.expectFault(/longer than 10000 ms/);
  expect(statusOf(kernel, "hanging")).toMatchObject({ state: "failed" });
  expect(statusOf(kernel, "fine")).toMatchObject({ state: "active" });
  expect(await kernel.api.get("/api/hanging")).toMatchObject({ status: 503 });
  expect(() => late?.route(hello("/api/hanging"))).toThrow(/has stopped/);
  expect(await kernel.api.get("/api/hanging")).toMatchObject({ status: 503 });
});

test("a plugin that does not give what it says that it provides has failed, and who needs that waits", async () => {
  const liar = createProbe({ id: "liar", provides: [Greeter] });
  const consumer = createProbe({ id: "consumer", needs: { greeter: Greeter } });
  await using kernel = await startTestKernel([liar, consumer]);
  kernel.expectFault(/says that it provides/);
  expect(statusOf(kernel, "liar")).toMatchObject({ state: "failed" });
  expect(statusOf(kernel, "consumer")).toEqual({
    state: "waiting",
    reason: "nothing provides test.greeter@1 now",
  });
});

test("an event that a plugin does not declare is refused, however it is written", async () => {
  await using kernel = await startProbe();
  const { ctx } = kernel;
  const forged = [
    NoticeRaised.of("x", { title: "Pay here", body: "", severity: "info" }),
  ];
  const records = ctx.store.collection({
    name: "record",
    version: 1,
    schema: z.any(),
  });
  await expect(ctx.emit(...forged)).rejects.toThrow(/does not declare/);
  await expect(ctx.store.batch([], forged)).rejects.toThrow(/does not declare/);
  await expect(
    records.insert({ id: "rec_a" }, { events: forged }),
  ).rejects.toThrow(/does not declare/);
  expect(kernel.events.all(NoticeRaised)).toEqual([]);
  expect(await records.get("rec_a")).toBeUndefined();
});

test("settings that do not fit are named with their path, and the plugin does not run", async () => {
  const setup = vi.fn<() => void>();
  const config = z.strictObject({ limits: z.object({ most: z.number() }) });
  await using kernel = await startProbe(
    { config, setup },
    {
      settings: { probe: { limits: { most: "many" } } },
    },
  );
  kernel.expectFault(/configuration does not fit/);
  expect(setup).not.toHaveBeenCalled();
  expect(statusOf(kernel, "probe")).toEqual({
    state: "failed",
    reason: expect.stringMatching(
      /"settings\.probe\.limits\.most".*expected number/i,
    ) as string,
  });
});

test("a plugin that is called as a member of every object has the settings of none", async () => {
  const config = z.strictObject({ most: z.number().default(7) });
  const plugin = { id: "constructor", mounts: [], config };
  await using kernel = await startTestKernel([createProbe(plugin)]);
  expect(statusOf(kernel, "constructor").state).toBe("active");
});

test("settings arrive as their schema makes them", async () => {
  const config = z.strictObject({ most: z.number().default(7) });
  await using kernel = await startProbe({ config });
  expect(kernel.ctx.config).toEqual({ most: 7 });
});

test("a folder that only has the name of a plugin does not take its place", async () => {
  const home = await temporaryFolder();
  await putPlugin(home, "probe", "export default {");
  const folder = join(home, "plugins", "other");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "gantry": { "api": 2 } }');
  await using kernel = await startTestKernel(
    [createProbe({}), createProbe({ id: "other", mounts: [] })],
    { home },
  );
  kernel.expectFault(/Plugin not loaded/);
  expect(statusOf(kernel, "probe").state).toBe("active");
  expect(statusOf(kernel, "other").state).toBe("active");
  expect(statusOf(kernel, "probe@2")).toMatchObject({
    state: "failed",
    reason: expect.stringMatching(/could not be loaded/) as string,
  });
  expect(statusOf(kernel, "other@2")).toMatchObject({
    state: "failed",
    reason: expect.stringMatching(/package.json does not fit/) as string,
  });
});

test("a plugin can tell a program on this machine where the daemon is", async () => {
  await using kernel = await startProbe();
  kernel.ctx.route(hello("/api/probe/hello"));
  const { localOrigin } = kernel.ctx;
  expect(new URL(localOrigin).hostname).toBe("127.0.0.1");
  const answer = await fetch(`${localOrigin}/api/probe/hello`);
  expect(answer.status).toBe(401);
  expect((await kernel.api.get("/api/probe/hello")).status).toBe(200);
});
