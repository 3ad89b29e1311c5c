import type { RehearsalOutcome } from "@gantry/plugin";
import type { Config } from "../config/config.ts";
import { errors } from "@gantry/system/errors";
import type { OutboundConnect } from "@gantry/system/outbound/outbound-connect";
import type { OutboundFetch } from "@gantry/system/outbound/outbound-fetch";

/**
 * What is different in a daemon that only starts on a copy of a home, to see how the plugins do: it runs no programs, sends no
 * requests, and takes the plugins from the home that was copied.
 */
export interface Rehearsal {
  /** Folder of the plugins that were added. Nothing in it is changed. */
  pluginsFolder: string;
}

/** The daemon whose plugins are tried, as data that another process can be told. */
export interface RehearsalOrder {
  /** The copy's own says nothing of which plugins there are. */
  config: Config;
  builtinPlugins: string | undefined;
  /** Folder of the plugins that were added to the home of the daemon. */
  pluginsFolder: string;
}

/** Tries a start on a copy of a home, and gives what it showed. */
export type RunRehearsal = (
  home: string,
  order: RehearsalOrder,
  signal: AbortSignal,
) => Promise<RehearsalOutcome>;

/** Why it does not do something, as the end of a sentence. */
export const REHEARSAL_REFUSAL =
  "this daemon only tries a start on a copy of the home";

const refuseOutbound = () =>
  Promise.reject(errors.OUTBOUND_REFUSED({ reason: REHEARSAL_REFUSAL }));

/** Sends no request. */
export const refuseFetch: OutboundFetch = refuseOutbound;

/** Opens no connection. */
export const refuseConnect: OutboundConnect = refuseOutbound;

/** Neither copies nor replaces a home, which is a copy. */
export const refuseCopy = () =>
  Promise.reject(new Error(`Not done: ${REHEARSAL_REFUSAL}.`));
