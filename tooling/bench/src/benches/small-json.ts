import { createFolder, startDaemon } from "../measure/daemon.ts";
import { send } from "../measure/http.ts";
import { loadFromWorker } from "../measure/keep-alive-load.ts";
import type { KeepAliveLoad } from "../measure/keep-alive-load.ts";
import { startPeer } from "../measure/peer.ts";
import { readCpu } from "../measure/process.ts";
import { interleave } from "../measure/rounds.ts";
import {
  atLeast,
  atMost,
  microseconds,
  milliseconds,
  perSecond,
} from "../measure/row.ts";
import type { Row } from "../measure/row.ts";
import { median, medianRatio } from "../measure/statistics.ts";
import type { Bench } from "./bench.ts";

const PATH = "/api/auth/session";
const MIN_RATE_RATIO = 0.7;
const MAX_P99_RATIO = 1.3;
/** What {@link MIN_RATE_RATIO} comes to for a server that is never idle. */
const MAX_CPU_RATIO = 1.4;

/** Processor time is read from `/proc`; elsewhere its rows are left out. */
const IS_LINUX = process.platform === "linux";

/** What a server did in a round. */
interface Round {
  perSecond: number;
  /** In ms. */
  p99: number;
  /** Processor time of the server for each request, in µs. */
  cpu: number;
}

/** Puts a server under load and reads what it takes. */
async function measure(
  pid: number,
  load: KeepAliveLoad,
  signal: AbortSignal,
): Promise<Round> {
  const readUsed = async () => (IS_LINUX ? await readCpu(pid) : 0);
  const before = await readUsed();
  const { count, ...times } = await loadFromWorker(load, signal);
  const cpu = (((await readUsed()) - before) * 1000) / count;
  return { ...times, cpu };
}

/** The rows of a number of connections. */
function compare(
  what: string,
  { ours, theirs }: Record<"ours" | "theirs", Round[]>,
): Row[] {
  const figures = (
    part: keyof Round,
    show: (value: number) => string,
  ): [ours: string, against: string, ratio: number] => {
    const values = ours.map((round) => round[part]);
    const peer = theirs.map((round) => round[part]);
    return [
      show(median(values)),
      `bare h3 ${show(median(peer))}`,
      medianRatio(values, peer),
    ];
  };
  const rows = [
    atLeast(what, ...figures("perSecond", perSecond), MIN_RATE_RATIO),
    atMost(`${what}, p99`, ...figures("p99", milliseconds), MAX_P99_RATIO),
  ];
  const cpu = `${what}, processor per request`;
  if (IS_LINUX)
    rows.push(atMost(cpu, ...figures("cpu", microseconds), MAX_CPU_RATIO));
  return rows;
}

/** A small answer for a paired caller: all of the gate, against a route of h3 that gives the same bytes to any caller. */
export const smallJson: Bench = {
  name: "json",
  title: "Authenticated small JSON",
  async run({ rounds, seconds, signal, say }) {
    await using folder = await createFolder();
    await using daemon = await startDaemon(folder.path, signal);
    const headers = daemon.session;
    const { body } = await send(daemon.base + PATH, { headers });
    await using peer = await startPeer(signal, {
      answer: JSON.parse(body.toString()) as unknown,
    });
    const rows: Row[] = [];
    for (const connections of [1, 16, 64]) {
      say(`${connections} connections`);
      // Both get the same request, and both keep their connections.
      const get = { headers, connections, seconds };
      const ours = () =>
        measure(daemon.pid, { ...get, url: daemon.base + PATH }, signal);
      const theirs = () =>
        measure(peer.pid, { ...get, url: `${peer.base}/small` }, signal);
      await Promise.all([ours(), theirs()]);
      const results = await interleave({ rounds, signal }, { ours, theirs });
      rows.push(...compare(`GET ${PATH}, ${connections} conn.`, results));
    }
    return rows;
  },
};
