import type { WholeHome } from "@gantry/plugin";
import type { Home } from "@gantry/system/home/home";
import type { KernelOptions } from "../kernel-options.ts";
import type { Kernel } from "../running-kernel.ts";
import { rehearseHome } from "./rehearse-home.ts";
import type { RehearsalOrder } from "../rehearsal.ts";

/**
 * Creates the function with which plugins test a start on a copy of the home.
 *
 * @param start Starts a kernel in this process.
 * @param options Options of the running daemon.
 * @param home Home of the running daemon.
 * @param signal Aborts when the daemon is to stop.
 */
export function createRehearse(
  start: (options: KernelOptions) => Promise<Kernel>,
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
