import type { LoadResult } from "./load.ts";
import { runWorker } from "./worker.ts";

/** A GET that is sent over and over. */
export interface KeepAliveLoad {
  url: string;
  headers?: Record<string, string>;
  connections: number;
  seconds: number;
}

/** What a server did under a {@link KeepAliveLoad}. */
export interface KeepAliveResult extends LoadResult {
  /** Answers in all. */
  count: number;
}

/**
 * Sends a GET over and over on connections that are kept, from a process of its own, so that neither the rest of the command
 * nor what it keeps in memory slows the load down.
 *
 * @throws Error if an answer is not a 200 or a connection ends
 */
export const loadFromWorker = (
  load: KeepAliveLoad,
  signal: AbortSignal,
): Promise<KeepAliveResult> =>
  runWorker("keep-alive-load.ts", [JSON.stringify(load)], signal);
