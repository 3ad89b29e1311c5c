import { defineService } from "@gantry/plugin";
import type { PluginContext, ServiceCaller } from "@gantry/plugin";
import { expect, test } from "vitest";
import { startTestKernel } from "../../../testing/src/index.ts";
import { workContext } from "@gantry/system/context/work-context";
import { createProbe } from "../support/probe.ts";

interface Registry {
  add(): Promise<ServiceCaller | undefined>;
}
const Registry = defineService<Registry>("test.registry@1");

/** A registry that gives back who called it, and only after it has waited for something. */
function createRegistry(seen: { ctx?: PluginContext }) {
  return createProbe({
    id: "registry",
    provides: [Registry],
    setup(ctx) {
      seen.ctx = ctx as PluginContext;
      ctx.provide(Registry, {
        async add() {
          await Promise.resolve();
          return ctx.caller();
        },
      });
    },
  });
}

test("a service knows which plugin calls it, also after it has waited", async () => {
  const callers: (string | undefined)[] = [];
  const user = (id: string) =>
    createProbe({
      id,
      needs: { registry: Registry },
      async setup(ctx) {
        const { registry } = ctx.needs as { registry: Registry };
        callers.push((await registry.add())?.plugin);
        expect(ctx.caller()).toBeUndefined();
      },
    });
  const seen: { ctx?: PluginContext } = {};
  await using _kernel = await startTestKernel([
    createRegistry(seen),
    user("one"),
    user("two"),
  ]);
  expect(callers.sort()).toEqual(["one", "two"]);
  expect(seen.ctx?.caller()).toBeUndefined();
});

test("what a service calls back runs as code of the plugin that called it", async () => {
  let caller: ServiceCaller | undefined;
  let registry: Registry | undefined;
  const user = createProbe({
    id: "user",
    needs: { registry: Registry },
    async setup(ctx) {
      ({ registry } = ctx.needs as { registry: Registry });
      caller = await registry.add();
    },
  });
  await using _kernel = await startTestKernel([createRegistry({}), user]);
  expect(workContext.getStore()).toBeUndefined();
  const plugins = caller?.run(() => [workContext.getStore()?.plugin]);
  expect(plugins).toEqual(["user"]);
  // No plugin is named as the caller of code that no plugin called.
  expect(await registry?.add()).toBeUndefined();
});
