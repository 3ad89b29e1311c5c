import { definePlugin } from "@gantry/plugin";
import type { PluginDefinition, ServiceToken } from "@gantry/plugin";

/**
 * A plugin that provides a service implemented by the test, instead of the real provider.
 *
 * @example await startTestKernel([inbox, provideFake(AgentMessages, { prompt: async () => … })])
 */
export function provideFake<Service>(
  token: ServiceToken<Service>,
  service: Service,
): PluginDefinition {
  return definePlugin({
    id: `fake-${token.id.replace(/[^a-z0-9]+/g, "-")}`,
    api: 1,
    summary: `A stand-in for ${token.id}`,
    mounts: [],
    provides: [token],
    setup: (ctx) => void ctx.provide(token, service),
  });
}
