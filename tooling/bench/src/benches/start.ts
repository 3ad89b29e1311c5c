import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
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

/** From the start of the process to its first 200, on homes that have been used before. */
export const start: Bench = {
  name: "start",
  title: "Start",
  async run({ rounds, signal, say }) {
    await using folder = await createFolder();
    await using full = await createFolder();
    const startOn = (home: string) => () =>
      timeStart(
        signal,
        (port) => daemonArguments(home, port),
        "/pair",
        (port) => `gantry.localhost:${port}`,
      );
    const ours = startOn(folder.path);
    const onFull = startOn(full.path);
    const theirs = () =>
      timeStart(signal, (port) => peerArguments({ port }), "/small");
    await ours();
    await onFull();
    say("filling an event log");
    fillEventLog(full.path);
    await onFull();
    const results = await interleave(
      { rounds, signal },
      { ours, onFull, theirs },
    );
    return [
      atMost(
        "Start to first 200",
        milliseconds(median(results.ours)),
        `bare h3 ${milliseconds(median(results.theirs))}`,
        medianRatio(results.ours, results.theirs),
        3,
      ),
      atMost(
        `With ${EVENTS.toLocaleString("en")} events in the log`,
        milliseconds(median(results.onFull)),
        `empty ${milliseconds(median(results.ours))}`,
        medianRatio(results.onFull, results.ours),
        1.2,
      ),
    ];
  },
};
