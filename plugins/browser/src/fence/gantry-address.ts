import type { PluginContext } from "@gantry/plugin";
import type { GantryAddress } from "./rules.ts";
import { isThisMachine, normalizeHost } from "./site-list.ts";

/**
 * Where the daemon is reached. `ctx.connect` refuses it in any case; this is for a refusal that says so before anything
 * is connected.
 */
export function readGantryAddress({
  origin,
  localOrigin,
}: Pick<PluginContext, "origin" | "localOrigin">): GantryAddress {
  const host = normalizeHost(new URL(origin).hostname);
  return {
    ports: new Set([Number(new URL(localOrigin).port || 80)]),
    names: new Set(isThisMachine(host) ? [] : [host]),
  };
}
