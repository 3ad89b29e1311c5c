import type { WholeHome } from "@gantry/plugin";
import type { Home } from "@gantry/system/home/home";
import type { KernelOptions } from "../kernel-options.ts";
import { rehearseHome } from "./rehearse-home.ts";
import type { StartKernel } from "./rehearse-home.ts";
import type { RehearsalOrder } from "./rehearsal.ts";

/**
 * Makes what plugins try a start on a copy of a home with.
 *
 * @param start Starts a kernel in this process.
 * @param options Those of the daemon.
 * @param home That of the daemon.
 * @param signal Aborts when the daemon is to stop.
 */
export function createRehearse(
  start: StartKernel,
  options: KernelOptions,
  home: Home,
  signal: AbortSignal,
): WholeHome["rehearse"] {
  const { config, builtinPlugins, version, definitions } = options;
  const order: RehearsalOrder = {
    config,
    builtinPlugins,
    pluginsFolder: home.plugins,
  };
  return async (copy, until) => {
    const either = AbortSignal.any([until, signal]);
    if (options.rehearse) return options.rehearse(copy, order, either);
    return rehearseHome(start, {
      ...order,
      home: copy,
      version,
      definitions,
      signal: either,
    });
  };
}
