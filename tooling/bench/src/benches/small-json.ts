import { createFolder, startDaemon } from "../measure/daemon.ts";
import { send } from "../measure/http.ts";
import { load } from "../measure/load.ts";
import { startPeer } from "../measure/peer.ts";
import { interleave } from "../measure/rounds.ts";
import { atLeast, atMost, milliseconds, perSecond } from "../measure/row.ts";
import type { Row } from "../measure/row.ts";
import { median, medianRatio } from "../measure/statistics.ts";
import type { Bench } from "./bench.ts";

const PATH = "/api/auth/session";

/** A small answer for a paired caller, with all checks of the gate, against a route of h3 that gives the same bytes without any. */
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
      const get = { headers, connections, seconds, signal };
      const ours = () => load({ ...get, url: daemon.base + PATH });
      const theirs = () => load({ ...get, url: `${peer.base}/small` });
      await Promise.all([ours(), theirs()]);
      const results = await interleave({ rounds, signal }, { ours, theirs });
      const rate = {
        ours: results.ours.map((one) => one.perSecond),
        theirs: results.theirs.map((one) => one.perSecond),
      };
      const p99 = {
        ours: results.ours.map((one) => one.p99),
        theirs: results.theirs.map((one) => one.p99),
      };
      const what = `GET ${PATH}, ${connections} conn.`;
      rows.push(
        atLeast(
          what,
          perSecond(median(rate.ours)),
          `bare h3 ${perSecond(median(rate.theirs))}`,
          medianRatio(rate.ours, rate.theirs),
          0.7,
        ),
        atMost(
          `${what}, p99`,
          milliseconds(median(p99.ours)),
          `bare h3 ${milliseconds(median(p99.theirs))}`,
          medianRatio(p99.ours, p99.theirs),
          1.5,
        ),
      );
    }
    return rows;
  },
};
