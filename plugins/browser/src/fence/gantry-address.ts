import type { PluginContext } from "@gantry/plugin";
import type { GantryAddress } from "./judge-site.ts";
import { normalizeHost } from "./site-list.ts";

/**
 * Host names and ports of the daemon. `ctx.connect` refuses them too; checking them by text refuses a call at once and
 * with a clear message.
 */
export function readGantryAddress({
  origin,
  localOrigin,
}: Pick<PluginContext, "origin" | "localOrigin">): GantryAddress {
  const local = new URL(localOrigin);
  const open = new URL(origin);
  const isPublic = !/^(localhost|127\.|\[|.*\.localhost$)/.test(open.hostname);
  return {
    ports: new Set([Number(local.port || 80)]),
    names: new Set(isPublic ? [normalizeHost(open.hostname)] : []),
  };
}
