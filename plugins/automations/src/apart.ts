import { AsyncLocalStorage } from "node:async_hooks";

/** Runs work outside the current request, so that its writes do not claim the request's idempotency key. */
export type Apart = <Result>(work: () => Result) => Result;

/**
 * Creates an {@link Apart}. The first write of a request claims its idempotency key; work that only prepares the effect
 * runs outside, so that a request that is then refused or cut off may be sent again. Create it while the plugin starts,
 * since it restores the async context in which it was created.
 */
export const createApart = (): Apart => AsyncLocalStorage.snapshot();
