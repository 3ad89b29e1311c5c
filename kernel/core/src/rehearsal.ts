import type { OutboundFetch, RehearsedPlugin, WholeHome } from "@gantry/plugin";
import type { Config } from "./config/config.ts";
import { errors } from "./errors.ts";
import type { OutboundConnect } from "@gantry/system/outbound/outbound-connect";

/**
 * Set in a daemon that starts on a copy of a home to test whether the plugins start: it runs no programs, makes no outbound
 * requests, and takes the plugins from the home that was copied.
 */
export interface Rehearsal {
  /** Folder of the plugins that were added. Nothing in it is changed. */
  pluginsFolder: string;
}

/** The daemon whose plugins are tried, as data that can be sent to another process. */
export interface RehearsalOrder {
  /** Configuration of the running daemon: that of the copy does not name the plugins to run. */
  config: Config;
  builtinPlugins: string | undefined;
  /** Folder of the plugins that were added to the home of the daemon. */
  pluginsFolder: string;
}

/** Starts a daemon on a copy of a home and resolves with the state of each plugin. */
export type RunRehearsal = (
  home: string,
  order: RehearsalOrder,
  signal: AbortSignal,
) => Promise<{ plugins: RehearsedPlugin[] }>;

/** Why an operation is refused, as the end of a sentence. */
export const REHEARSAL_REFUSAL =
  "this daemon only tries a start on a copy of the home";

/** Refuses every request. */
export const refuseFetch: OutboundFetch = () =>
  Promise.reject(errors.OUTBOUND_REFUSED({ reason: REHEARSAL_REFUSAL }));

/** Refuses every connection. */
export const refuseConnect: OutboundConnect = () =>
  Promise.reject(errors.OUTBOUND_REFUSED({ reason: REHEARSAL_REFUSAL }));

/** Opens the home, which is a copy, so that every operation that would copy or replace it is refused. */
export function refuseCopies<Owner>(
  open: (owner: Owner) => WholeHome,
): (owner: Owner) => WholeHome {
  const refuse = () =>
    Promise.reject(new Error(`Not done: ${REHEARSAL_REFUSAL}.`));
  return (owner) => ({
    ...open(owner),
    readStore: refuse,
    stage: refuse,
    replace: refuse,
    rehearse: refuse,
  });
}
