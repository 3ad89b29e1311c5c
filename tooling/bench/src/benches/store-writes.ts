import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createFolder } from "../measure/daemon.ts";
import { startNode } from "../measure/process.ts";
import { atLeast, over, perSecond } from "../measure/row.ts";
import { median, medianRatio } from "../measure/statistics.ts";
import type { Bench } from "./bench.ts";

const WORKER = fileURLToPath(
  new URL("../workers/store-worker.ts", import.meta.url),
);

type Rates = Record<"one" | "plainOne" | "fifty" | "plainFifty", number[]>;

/** Durable writes of a plugin through its store, against the same database without anything round it. */
export const storeWrites: Bench = {
  name: "store",
  title: "Durable writes through the store",
  async run({ rounds, seconds, signal }) {
    await using folder = await createFolder();
    await using worker = startNode(
      [WORKER, folder.path, String(rounds), String(seconds)],
      signal,
    );
    let output = "";
    worker.child.stdout
      ?.setEncoding("utf8")
      .on("data", (text: string) => (output += text));
    const [code] = (await once(worker.child, "close")) as [number | null];
    signal.throwIfAborted();
    if (code !== 0)
      throw new Error(`The writer ended with ${code}:\n${worker.log()}`);
    const { one, plainOne, fifty, plainFifty } = JSON.parse(output) as Rates;
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
