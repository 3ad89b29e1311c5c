import type { PluginContext } from "@gantry/plugin";
import { createOwnedSignal } from "@gantry/system/context/owned-signal";
import {
  runAsPlugin,
  runInContext,
  workContext,
} from "@gantry/system/context/work-context";
import { ownService } from "./owned-service.ts";
import type { Seam } from "./seam.ts";
import type { ServiceRegistry } from "./service-registry.ts";

/** What a plugin does with services: its own, and those of others. */
export function createContextServices(
  services: ServiceRegistry,
  { id, definition, scope, log, alive, ownSource }: Seam,
): Pick<PluginContext, "needs" | "wants" | "whenThere" | "provide" | "caller"> {
  const needed = Object.entries(definition.needs ?? {});
  const wanted = Object.entries(definition.wants ?? {});
  const refuse = (token: { id: string }, list: string) => {
    throw new TypeError(`"${id}" does not declare ${token.id} in its ${list}.`);
  };
  return {
    needs: Object.fromEntries(
      needed.map(([name, token]) => [name, services.get(token.id)]),
    ),
    wants: Object.fromEntries(
      wanted.map(([name, token]) => [name, () => services.get(token.id)]),
    ),
    whenThere: alive((token, work) => {
      if (!wanted.some(([, each]) => each.id === token.id))
        refuse(token, "wants");
      type Service = Parameters<typeof work>[0];
      return ownSource(
        services.watch(token.id, (service, gone) => {
          const left = createOwnedSignal(id);
          gone.addEventListener("abort", () => left.abort());
          const done = runInContext({ plugin: id }, async () =>
            work(service as Service, left.signal),
          );
          void scope.follow(done).catch((error: unknown) => {
            log.error("A service could not be used", { id: token.id }, error);
          });
        }),
      );
    }),
    provide: alive((token, service) => {
      if (!definition.provides?.some((each) => each.id === token.id))
        refuse(token, "provides");
      return scope.own(services.provide(token.id, id, ownService(id, service)));
    }),
    caller() {
      const context = workContext.getStore();
      const caller = context?.plugin === id ? context.caller : undefined;
      if (caller === undefined) return undefined;
      return { plugin: caller, run: (work) => runAsPlugin(caller, work) };
    },
  };
}
