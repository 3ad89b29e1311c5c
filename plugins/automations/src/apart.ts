import { AsyncLocalStorage } from "node:async_hooks";

/** Runs work, and everything that it awaits, as if nobody had asked for it. */
export type Apart = <Result>(work: () => Result) => Result;

/**
 * Keeps what only prepares the effect of a request from claiming the request's idempotency key, which the first write
 * of a request does: a request that is refused after a preparation, or cut off, may be sent again. To be made while the
 * plugin starts, since it goes back to where it was made.
 */
export const createApart = (): Apart => AsyncLocalStorage.snapshot();
