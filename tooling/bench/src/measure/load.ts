import autocannon from "autocannon";
import type { Result } from "autocannon";
import { percentile99 } from "./statistics.ts";

/** What a server did under load. */
export interface LoadResult {
  perSecond: number;
  /** Of the time to an answer, in ms. */
  p99: number;
}

/** What to send, over and over. */
export interface Load {
  url: string;
  connections: number;
  seconds: number;
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  body?: object;
  signal: AbortSignal;
}

/**
 * Sends a request over and over on some connections.
 *
 * @throws Error if an answer is not a 200, since then it is not the work that was measured
 */
export async function load({
  url,
  connections,
  seconds,
  method = "GET",
  headers,
  body,
  signal,
}: Load): Promise<LoadResult> {
  signal.throwIfAborted();
  const times: number[] = [];
  let stop = () => {};
  const result = await new Promise<Result>((resolve, reject) => {
    const run = autocannon(
      {
        url,
        connections,
        duration: seconds,
        method,
        headers: {
          ...headers,
          ...(body ? { "content-type": "application/json" } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      },
      (error: Error | null, outcome: Result) =>
        error ? reject(error) : resolve(outcome),
    );
    // Its own percentiles are whole milliseconds, which is too coarse for a server on the same machine.
    run.on("response", (_client, _status, _bytes, time) => times.push(time));
    stop = () => run.stop();
    signal.addEventListener("abort", stop);
  }).finally(() => signal.removeEventListener("abort", stop));
  signal.throwIfAborted();
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(
      `${url}: ${result.non2xx} answers were no 200 and ${result.errors} failed.`,
    );
  return {
    perSecond: times.length / result.duration,
    p99: percentile99(times),
  };
}
