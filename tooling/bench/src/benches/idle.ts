import { setTimeout as sleep } from "node:timers/promises";
import { createFolder, startDaemon } from "../measure/daemon.ts";
import { launchBrowser } from "../measure/chromium.ts";
import { loadHomePage } from "../measure/home-page.ts";
import { startPeer } from "../measure/peer.ts";
import { readCpu, readMemory } from "../measure/process.ts";
import { megabytes, under } from "../measure/row.ts";
import type { Row } from "../measure/row.ts";
import { median } from "../measure/statistics.ts";
import type { Bench } from "./bench.ts";

/** Time to come to rest after a start or a page. */
const REST_MS = 3_000;
const WINDOW_MS = 20_000;
const MAX_MEMORY_BYTES = 100e6;
const MAX_CPU_PERCENT = 0.1;
const percent = (value: number): string => `${value.toFixed(2)} %`;

/** Memory and processor time of the daemon without requests and without a running agent. */
export const idle: Bench = {
  name: "idle",
  title: "Memory and processor at rest",
  async run({ rounds, signal, say }) {
    const fresh: number[] = [];
    const used: number[] = [];
    const cpu: number[] = [];
    await using browser = await launchBrowser(signal);
    await using peer = await startPeer(signal);
    for (let round = 0; round < rounds; round++) {
      say(
        `round ${round + 1} of ${rounds}, ${(WINDOW_MS + 2 * REST_MS) / 1000} s each`,
      );
      await using folder = await createFolder();
      await using daemon = await startDaemon(folder.path, signal);
      await sleep(REST_MS, undefined, { signal });
      fresh.push(await readMemory(daemon.pid));
      const page = await loadHomePage(browser, daemon);
      await page.close();
      await sleep(REST_MS, undefined, { signal });
      used.push(await readMemory(daemon.pid));
      const before = await readCpu(daemon.pid);
      await sleep(WINDOW_MS, undefined, { signal });
      cpu.push(((await readCpu(daemon.pid)) - before) / (WINDOW_MS / 100));
    }
    const against = `limit (bare h3 ${megabytes(await readMemory(peer.pid))})`;
    const memory = (what: string, values: number[]): Row => ({
      ...under(what, median(values), MAX_MEMORY_BYTES, megabytes),
      against,
    });
    return [
      memory("Memory of all processes, after start", fresh),
      memory("Memory of all processes, after one home page", used),
      under("Processor over 20 s", median(cpu), MAX_CPU_PERCENT, percent),
    ];
  },
};
