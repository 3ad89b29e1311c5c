import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Daemon } from "./daemon.ts";
import { send } from "./http.ts";
import { readMemory } from "./process.ts";
import { percentile99 } from "./statistics.ts";

const EVERY_MS = 10;
const MEMORY_EVERY = 20;

/** What others find while something is done. */
export interface Meanwhile<Result> {
  result: Result;
  /** How long the work took. */
  ms: number;
  /** Of a page of a list, in ms. */
  readsP99: number;
  /** Of a record that is written, in ms. */
  writesP99: number;
  /** The most that was resident, in bytes. */
  memory: number;
}

/** Does something, and asks the daemon for other things meanwhile, one after the other. */
export async function measureMeanwhile<Result>(
  daemon: Daemon,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Meanwhile<Result>> {
  const agent = new Agent({ keepAlive: true });
  const times = { reads: [] as number[], writes: [] as number[] };
  let isOver = false;
  let memory = 0;

  async function ask(body?: object): Promise<void> {
    const path = body ? "" : "?list=long&limit=50";
    const begin = performance.now();
    const { status } = await send(`${daemon.base}/api/bench/items${path}`, {
      method: body ? "POST" : "GET",
      headers: daemon.session,
      body,
      agent,
    });
    if (status !== 200) throw new Error(`A request was answered ${status}.`);
    times[body ? "writes" : "reads"].push(performance.now() - begin);
  }

  const asking = (async () => {
    for (let count = 0; !isOver; count += 1) {
      signal.throwIfAborted();
      await ask();
      await ask({ title: `Meanwhile ${count}`, text: "Something to keep." });
      if (count % MEMORY_EVERY === 0)
        memory = Math.max(memory, await readMemory(daemon.pid));
      await sleep(EVERY_MS);
    }
  })();
  const begin = performance.now();
  let ms = 0;
  try {
    const [result] = await Promise.all([
      work().finally(() => {
        ms = performance.now() - begin;
        isOver = true;
      }),
      asking,
    ]);
    return {
      result,
      ms,
      readsP99: percentile99(times.reads),
      writesP99: percentile99(times.writes),
      memory,
    };
  } finally {
    isOver = true;
    agent.destroy();
  }
}
