import * as zod from "zod";

/** Global key of the modules that the daemon shares. The build of a plugin writes the same key. */
const SHARED = Symbol.for("gantry.shared@1");

/**
 * Shares the daemon's zod with plugins, so that they need not bundle, compile and hold copies. A plugin that bundles zod uses
 * its own. Call it before the first code of a plugin runs. Idempotent.
 */
export function shareModules(): void {
  (globalThis as { [SHARED]?: object })[SHARED] ??= { zod };
}
