import * as zod from "zod";

/** Where plugins find what the daemon shares; their build writes the same. */
const SHARED = Symbol.for("gantry.shared@1");

/**
 * Gives plugins the zod of the daemon, so that not each has to bring, compile and hold a copy of its own. A plugin that
 * brings one all the same uses that. To be called before the first code of a plugin runs; twice is harmless.
 */
export function shareModules(): void {
  (globalThis as { [SHARED]?: object })[SHARED] ??= { zod };
}
