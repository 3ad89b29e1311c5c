import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  createFolder,
  daemonArguments,
  readReadyLine,
} from "../measure/daemon.ts";
import { findFreePort } from "../measure/free-port.ts";
import { waitFor200 } from "../measure/http.ts";
import { peerArguments } from "../measure/peer.ts";
import { startNode } from "../measure/process.ts";
import { interleave } from "../measure/rounds.ts";
import { atMost, milliseconds } from "../measure/row.ts";
import { median, medianRatio } from "../measure/statistics.ts";
import type { Bench } from "./bench.ts";

/** Times from the start of a process, in ms. */
interface StartTimes {
  first200: number;
  /** When the daemon says that all of its plugins run. */
  ready: number;
}

async function timeStart(
  signal: AbortSignal,
  home: string,
): Promise<StartTimes> {
  const port = await findFreePort();
  const begin = performance.now();
  await using running = startNode(daemonArguments(home, port), signal);
  const ready = readReadyLine(running).then(() => performance.now() - begin);
  const host = `gantry.localhost:${port}`;
  const [first200] = await Promise.all([
    waitFor200(`http://127.0.0.1:${port}/pair`, signal, { host }).then(
      () => performance.now() - begin,
    ),
    ready,
  ]);
  return { first200, ready: await ready };
}

async function timePeer(signal: AbortSignal): Promise<StartTimes> {
  const port = await findFreePort();
  const begin = performance.now();
  await using _running = startNode(peerArguments({ port }), signal);
  await waitFor200(`http://127.0.0.1:${port}/small`, signal);
  const first200 = performance.now() - begin;
  return { first200, ready: first200 };
}

/** As many as the daemon keeps. */
const EVENTS = 100_000;

/** Fills the event log of a home whose daemon is stopped with events that no plugin listens to. */
function fillEventLog(home: string): void {
  using database = new DatabaseSync(join(home, "store.sqlite"));
  const insert = database.prepare(
    "INSERT OR IGNORE INTO entries VALUES (?, ?)",
  );
  const at = new Date().toISOString();
  database.exec("BEGIN");
  for (let id = 1; id <= EVENTS; id++) {
    const key = `kernel:event:${String(id).padStart(16, "0")}`;
    const event = { id, at, type: "bench.noted", plugin: "bench" };
    insert.run(key, JSON.stringify({ ...event, subject: "x", data: {} }));
  }
  database.exec("COMMIT");
}

/** From the start of the process to its first 200 and until all plugins run, on homes that have been used before. */
export const start: Bench = {
  name: "start",
  title: "Start",
  async run({ rounds, signal, say }) {
    await using folder = await createFolder();
    await using full = await createFolder();
    const ours = () => timeStart(signal, folder.path);
    const onFull = () => timeStart(signal, full.path);
    const theirs = () => timePeer(signal);
    await ours();
    await onFull();
    say("filling an event log");
    fillEventLog(full.path);
    await onFull();
    const results = await interleave(
      { rounds, signal },
      { ours, onFull, theirs },
    );
    const timesOf = (name: keyof typeof results, what: keyof StartTimes) =>
      results[name].map((times) => times[what]);
    const against = (
      what: string,
      ours: number[],
      name: string,
      theirs: number[],
      most: number,
    ) =>
      atMost(
        what,
        milliseconds(median(ours)),
        `${name} ${milliseconds(median(theirs))}`,
        medianRatio(ours, theirs),
        most,
      );
    const first = timesOf("ours", "first200");
    const bare = timesOf("theirs", "first200");
    return [
      against("Start to first 200", first, "bare h3", bare, 2.2),
      against(
        "Start until all plugins run",
        timesOf("ours", "ready"),
        "bare h3",
        bare,
        5,
      ),
      against(
        `With ${EVENTS.toLocaleString("en")} events in the log`,
        timesOf("onFull", "first200"),
        "empty",
        first,
        1.2,
      ),
    ];
  },
};
