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
/** Writers, and the writes a second that they should reach. */
const AIMS: readonly [number, number][] = [
  [1, 650],
  [16, 2400],
  [64, 3000],
];
/** Shares of what the peers do. */
const MIN_SHARE_OF_PLAIN = 0.4;
const MIN_SHARE_OF_GROUPED = 0.75;

/**
 * A route that checks its body and writes a record, an index entry and an event, durably. Its peers are routes of h3 that
 * check nothing and give the same answer: one writes one row with a flush to disk of its own, the other the same three rows,
 * in groups that are flushed as one.
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
    for (const [connections, aim] of AIMS) {
      say(`${connections} writers`);
      const post = (url: string) => async () => {
        const { perSecond: rate } = await load({
          ...{ url, method: "POST", body: BODY, headers: daemon.session },
          ...{ connections, seconds, signal },
        });
        return rate;
      };
      const routes = {
        ours: post(`${daemon.base}/api/bench/items`),
        plain: post(`${peer.base}/items`),
        grouped: post(`${peer.base}/grouped`),
      };
      for (const warmUp of Object.values(routes)) await warmUp();
      const rates = await interleave({ rounds, signal }, routes);
      const what = `POST of a record, ${connections} writers`;
      const beside = (peerRates: number[], name: string, share: number) =>
        atLeast(
          what,
          perSecond(median(rates.ours)),
          `${name} ${perSecond(median(peerRates))}`,
          medianRatio(rates.ours, peerRates),
          share,
        );
      rows.push(
        over(what, median(rates.ours), aim, perSecond),
        beside(rates.plain, "bare h3 + SQLite", MIN_SHARE_OF_PLAIN),
        beside(rates.grouped, "bare h3, in groups", MIN_SHARE_OF_GROUPED),
      );
    }
    return rows;
  },
};
