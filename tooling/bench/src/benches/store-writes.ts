import { createFolder } from "../measure/daemon.ts";
import { atLeast, over, perSecond } from "../measure/row.ts";
import { median, medianRatio } from "../measure/statistics.ts";
import { runWorker } from "../measure/worker.ts";
import type { Bench } from "./bench.ts";

type Rates = Record<"one" | "plainOne" | "fifty" | "plainFifty", number[]>;

/** Durable writes of a plugin through its store, against the same database without anything round it. */
export const storeWrites: Bench = {
  name: "store",
  title: "Durable writes through the store",
  async run({ rounds, seconds, signal }) {
    await using folder = await createFolder();
    const { one, plainOne, fifty, plainFifty } = await runWorker<Rates>(
      "store-worker.ts",
      [folder.path, String(rounds), String(seconds)],
      signal,
    );
    return [
      atLeast(
        "store.set, 1 in flight",
        perSecond(median(one)),
        `node:sqlite ${perSecond(median(plainOne))}`,
        medianRatio(one, plainOne),
        0.7,
      ),
      over("store.set, 50 in flight", median(fifty), 15_000, perSecond),
      atLeast(
        "store.set, 50 in flight",
        perSecond(median(fifty)),
        `node:sqlite by 50 ${perSecond(median(plainFifty))}`,
        medianRatio(fifty, plainFifty),
        0.4,
      ),
    ];
  },
};
