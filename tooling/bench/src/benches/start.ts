import { createFolder, daemonArguments } from "../measure/daemon.ts";
import { findFreePort } from "../measure/free-port.ts";
import { waitFor200 } from "../measure/http.ts";
import { peerArguments } from "../measure/peer.ts";
import { startNode } from "../measure/process.ts";
import { interleave } from "../measure/rounds.ts";
import { atMost, milliseconds } from "../measure/row.ts";
import { median, medianRatio } from "../measure/statistics.ts";
import type { Bench } from "./bench.ts";

async function timeStart(
  signal: AbortSignal,
  args: (port: number) => string[],
  path: string,
  host?: (port: number) => string,
): Promise<number> {
  const port = await findFreePort();
  const begin = performance.now();
  await using _running = startNode(args(port), signal);
  await waitFor200(
    `http://127.0.0.1:${port}${path}`,
    signal,
    host && { host: host(port) },
  );
  return performance.now() - begin;
}

/** From the start of the process to its first 200, on a home that has been used before. */
export const start: Bench = {
  name: "start",
  title: "Start",
  async run({ rounds, signal }) {
    await using folder = await createFolder();
    const ours = () =>
      timeStart(
        signal,
        (port) => daemonArguments(folder.path, port),
        "/pair",
        (port) => `gantry.localhost:${port}`,
      );
    const theirs = () =>
      timeStart(signal, (port) => peerArguments({ port }), "/small");
    await ours();
    const results = await interleave({ rounds, signal }, { ours, theirs });
    return [
      atMost(
        "Start to first 200",
        milliseconds(median(results.ours)),
        `bare h3 ${milliseconds(median(results.theirs))}`,
        medianRatio(results.ours, results.theirs),
        3,
      ),
    ];
  },
};
