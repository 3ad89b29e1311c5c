import { join } from "node:path";
import {
  addBenchPlugin,
  createFolder,
  startDaemon,
} from "../measure/daemon.ts";
import { load } from "../measure/load.ts";
import { startPeer } from "../measure/peer.ts";
import { interleave } from "../measure/rounds.ts";
import { atLeast, over, perSecond } from "../measure/row.ts";
import type { Row } from "../measure/row.ts";
import { median, medianRatio } from "../measure/statistics.ts";
import type { Bench } from "./bench.ts";

const BODY = {
  title: "Milk",
  text: "Two bottles, and bread if there is some left. ".repeat(4),
};
/** Writers, the writes a second that they should reach, and their share of what a bare route with SQLite does. */
const AIMS: readonly [number, number, number][] = [
  [1, 650, 0.4],
  [16, 2400, 0.4],
  [64, 3000, 0.4],
];

/**
 * A route that checks its body and writes a record, an index entry and an event, durably; against a route of h3 that
 * writes one row, unchecked, with a flush to disk of its own.
 */
export const httpWrites: Bench = {
  name: "writes",
  title: "Durable writes over HTTP",
  async run({ rounds, seconds, signal, say }) {
    await using folder = await createFolder();
    const home = join(folder.path, "home");
    await addBenchPlugin(home);
    await using daemon = await startDaemon(home, signal);
    await using peer = await startPeer(signal, {
      database: join(folder.path, "peer.sqlite"),
    });
    const rows: Row[] = [];
    for (const [connections, aim, share] of AIMS) {
      say(`${connections} writers`);
      const post = {
        method: "POST",
        body: BODY,
        headers: daemon.session,
        connections,
        seconds,
        signal,
      } as const;
      const ours = () =>
        load({ ...post, url: `${daemon.base}/api/bench/items` });
      const theirs = () => load({ ...post, url: `${peer.base}/items` });
      await ours();
      await theirs();
      const results = await interleave({ rounds, signal }, { ours, theirs });
      const rate = {
        ours: results.ours.map((one) => one.perSecond),
        theirs: results.theirs.map((one) => one.perSecond),
      };
      const what = `POST of a record, ${connections} writers`;
      rows.push(
        over(what, median(rate.ours), aim, perSecond),
        atLeast(
          what,
          perSecond(median(rate.ours)),
          `bare h3 + SQLite ${perSecond(median(rate.theirs))}`,
          medianRatio(rate.ours, rate.theirs),
          share,
        ),
      );
    }
    return rows;
  },
};
