import type { PluginContext, ServiceToken } from "@gantry/plugin";
import { ownService } from "@gantry/system/context/own-service";
import { createOwnedSignal } from "@gantry/system/context/owned-signal";
import {
  currentContext,
  runAsPlugin,
  runInContext,
} from "@gantry/system/context/work-context";
import type { PluginInstance } from "./plugin-instance.ts";
import type { ServiceRegistry } from "./service-registry.ts";

/** Creates the part of a plugin's context for the services that it uses and provides. */
export function createPluginServices(
  services: ServiceRegistry,
  { id, definition, log, scope, whileActive, ownSource }: PluginInstance,
): Pick<PluginContext, "needs" | "wants" | "onService" | "provide" | "caller"> {
  const { needs = {}, wants = {}, provides = [] } = definition;
  const checkDeclared = (
    { id: service }: ServiceToken<unknown>,
    tokens: readonly ServiceToken<unknown>[],
    part: "wants" | "provides",
  ) => {
    if (!tokens.some((token) => token.id === service))
      throw new TypeError(
        `"${id}" does not declare ${service} in its ${part}.`,
      );
  };
  return {
    needs: mapTokens(needs, (token) => services.get(token.id)),
    wants: mapTokens(wants, (token) => () => services.get(token.id)),
    onService: whileActive((token, work) => {
      checkDeclared(token, Object.values(wants), "wants");
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
    provide: whileActive((token, service) => {
      checkDeclared(token, provides, "provides");
      return scope.own(services.provide(token.id, id, ownService(id, service)));
    }),
    caller() {
      const context = currentContext();
      const caller = context?.plugin === id ? context.caller : undefined;
      if (caller === undefined) return undefined;
      return { plugin: caller, run: (work) => runAsPlugin(caller, work) };
    },
  };
}

const mapTokens = <Value>(
  tokens: Readonly<Record<string, ServiceToken<unknown>>>,
  toValue: (token: ServiceToken<unknown>) => Value,
): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(tokens).map(([name, token]) => [name, toValue(token)]),
  );
