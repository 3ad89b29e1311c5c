import { errors } from "../errors.ts";
import type { OutboundFetch } from "../outbound/outbound-fetch.ts";

/**
 * What is different in a daemon that only starts on a copy of a home, to see how the plugins do: it runs no programs, calls
 * nobody, and takes the plugins from the home that was copied.
 */
export interface Rehearsal {
  /** Folder of the plugins that were added. Nothing in it is changed. */
  pluginsFolder: string;
}

/** Why it does not do something, as the end of a sentence. */
export const REHEARSAL_REFUSAL =
  "this daemon only tries a start on a copy of the home";

/** Calls nobody. */
export const refuseFetch: OutboundFetch = () =>
  Promise.reject(errors.OUTBOUND_REFUSED({ reason: REHEARSAL_REFUSAL }));
