import type { Disposer, Log, PluginDefinition } from "@gantry/plugin";
import { errors } from "@gantry/system/errors";
import type { Scope } from "./scope.ts";

/** What a seam is made of. */
interface SeamParts {
  readonly definition: PluginDefinition;
  readonly scope: Scope;
  readonly log: Log;
  /** Whether the plugin is a part of the daemon itself. */
  readonly isSystem: boolean;
}

/** One run of a plugin, as what it reaches through its context is bound to it. */
export type Seam = ReturnType<typeof createSeam>;

/** Makes the seam between a plugin and the kernel for one run. */
export function createSeam(parts: SeamParts) {
  const { scope } = parts;
  const { id } = parts.definition;
  return {
    ...parts,
    id,
    /** Refuses what may no longer be used once the plugin begins to stop. */
    alive:
      <Arguments extends unknown[], Result>(
        work: (...args: Arguments) => Result,
      ) =>
      (...args: Arguments): Result => {
        if (scope.signal.aborted) throw errors.PLUGIN_STOPPED({ id });
        return work(...args);
      },
    /** Throws once the plugin has stopped: a promise that it left behind can no longer write. */
    requireRunning(): void {
      if (scope.isOver) throw errors.PLUGIN_STOPPED({ id });
    },
    /** Owns a source of work, which is removed when the stop begins; work in progress may finish. */
    ownSource(remove: Disposer): Disposer {
      scope.signal.addEventListener("abort", remove, { once: true });
      return scope.own(() => {
        scope.signal.removeEventListener("abort", remove);
        remove();
      });
    },
  };
}
