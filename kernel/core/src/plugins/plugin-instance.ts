import type { Disposer, Log, PluginDefinition } from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { Scope } from "./scope.ts";

/** One run of a plugin, from its start to its stop. */
export interface PluginInstance {
  readonly id: string;
  readonly definition: PluginDefinition;
  readonly log: Log;
  readonly scope: Scope;
  /** Wraps a function so that calls throw `PLUGIN_STOPPED` once the plugin begins to stop. */
  whileActive<Arguments extends unknown[], Result>(
    work: (...args: Arguments) => Result,
  ): (...args: Arguments) => Result;
  /** Throws `PLUGIN_STOPPED` once the plugin has stopped, for a promise that it left behind. */
  throwIfOver(): void;
  /** Owns a source of work, such as a listener. It is removed when the stop begins; work in progress may finish. */
  ownSource(remove: Disposer): Disposer;
}

/** Creates the instance of a plugin whose registrations belong to the scope. */
export function createPluginInstance(
  definition: PluginDefinition,
  scope: Scope,
  log: Log,
): PluginInstance {
  const { id } = definition;
  const { signal } = scope;
  return {
    id,
    definition,
    log,
    scope,
    whileActive:
      (work) =>
      (...args) => {
        if (signal.aborted) throw errors.PLUGIN_STOPPED({ id });
        return work(...args);
      },
    throwIfOver() {
      if (scope.isOver) throw errors.PLUGIN_STOPPED({ id });
    },
    ownSource(remove) {
      signal.addEventListener("abort", remove, { once: true });
      return scope.own(() => {
        signal.removeEventListener("abort", remove);
        remove();
      });
    },
  };
}
