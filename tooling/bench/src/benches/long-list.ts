import {
  addBenchPlugin,
  createFolder,
  startDaemon,
} from "../measure/daemon.ts";
import { fillList } from "../measure/fill-list.ts";
import { load } from "../measure/load.ts";
import { interleave } from "../measure/rounds.ts";
import { atMost, milliseconds } from "../measure/row.ts";
import { median, medianRatio } from "../measure/statistics.ts";
import type { Bench } from "./bench.ts";

const LENGTHS = { short: 1_000, long: 100_000 };

/** The first page of a list, however long the list is. */
export const longList: Bench = {
  name: "list",
  title: "A list of 1,000 and of 100,000 records",
  async run({ rounds, seconds, signal, say }) {
    await using folder = await createFolder();
    await addBenchPlugin(folder.path);
    await using daemon = await startDaemon(folder.path, signal);
    say("filling the lists");
    await fillList(daemon, "short", LENGTHS.short);
    await fillList(daemon, "long", LENGTHS.long);
    const read = (list: keyof typeof LENGTHS) => async () => {
      const url = `${daemon.base}/api/bench/items?list=${list}&limit=50`;
      const { perSecond } = await load({
        url,
        headers: daemon.session,
        connections: 1,
        seconds,
        signal,
      });
      return 1000 / perSecond;
    };
    await read("short")();
    const { short, long } = await interleave(
      { rounds, signal },
      { short: read("short"), long: read("long") },
    );
    return [
      atMost(
        "First page of 100,000 records",
        milliseconds(median(long)),
        `of 1,000 ${milliseconds(median(short))}`,
        medianRatio(long, short),
        1.2,
      ),
    ];
  },
};
