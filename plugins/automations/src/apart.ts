import { AsyncLocalStorage } from "node:async_hooks";

/** Runs work, and everything that it awaits, outside the request, so that its writes do not claim the request's idempotency key. */
export type Apart = <Result>(work: () => Result) => Result;

/**
 * For writes that only prepare the effect of a request: the first write of a request claims its idempotency key, and a request that
 * is refused after a preparation, or cut off, may be sent again. To be created while the plugin starts, since it runs work in the
 * context in which it was created.
 */
export const createApart = (): Apart => AsyncLocalStorage.snapshot();
