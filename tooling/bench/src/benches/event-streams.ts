import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  addBenchPlugin,
  createFolder,
  startDaemon,
} from "../measure/daemon.ts";
import { send } from "../measure/http.ts";
import { readMemory, startNode } from "../measure/process.ts";
import { kilobytes, milliseconds, under } from "../measure/row.ts";
import type {
  StreamFigures,
  StreamReaders,
} from "../workers/stream-readers.ts";
import type { Bench } from "./bench.ts";

/** Nearly all connections that a daemon takes. */
const STREAMS = 2_000;
const QUICK_STREAMS = 500;
const EVENTS_A_SECOND = 20;
const MAX_ARRIVAL_MS = 250;
const MAX_MEMORY = 30_000;
const READERS = fileURLToPath(
  new URL("../workers/stream-readers.ts", import.meta.url),
);
/** Time to come to rest after a start. */
const REST_MS = 2_000;

/** Events that go to very many clients at once. */
export const eventStreams: Bench = {
  name: "streams",
  title: `${STREAMS} event streams, ${EVENTS_A_SECOND} events a second`,
  async run({ seconds, isQuick, signal, say }) {
    const streams = isQuick ? QUICK_STREAMS : STREAMS;
    const events = EVENTS_A_SECOND * seconds;
    await using folder = await createFolder();
    const home = join(folder.path, "home");
    await addBenchPlugin(home);
    await using daemon = await startDaemon(home, signal);
    const { base, session } = daemon;
    await sleep(REST_MS, undefined, { signal });
    const before = await readMemory(daemon.pid);
    const order: StreamReaders = { base, ...session, streams, events };
    await using readers = startNode(
      ["--conditions=gantry-source", READERS, JSON.stringify(order)],
      signal,
    );
    if (!readers.child.stdout) throw new Error("The readers cannot be read.");
    const lines = createInterface({ input: readers.child.stdout });
    const nextLine = async () => {
      const ended = once(readers.child, "exit").then(() => {
        throw new Error(`The readers ended:\n${readers.log()}`);
      });
      const [line] = (await Promise.race([once(lines, "line"), ended])) as [
        string,
      ];
      return line;
    };
    await nextLine();
    say(`${streams} streams are open`);
    const memory = (await readMemory(daemon.pid)) - before;
    const begin = performance.now();
    for (let sent = 0; sent < events; sent++) {
      const due = begin + (sent * 1000) / EVENTS_A_SECOND;
      await sleep(Math.max(0, due - performance.now()), undefined, { signal });
      const { status } = await send(`${base}/api/bench/items`, {
        method: "POST",
        headers: session,
        body: { title: String(Date.now()), text: "Bread." },
      });
      if (status !== 200) throw new Error(`An event was answered ${status}.`);
    }
    const took = (performance.now() - begin) / 1000;
    const answer = nextLine();
    readers.child.kill("SIGUSR2");
    const { p99, arrived } = JSON.parse(await answer) as StreamFigures;
    if (arrived !== streams * events)
      throw new Error(`${streams * events - arrived} events did not arrive.`);
    const rate = `${(events / took).toFixed(1)} events a second`;
    const what = `${streams} event streams, ${rate}: `;
    return [
      under(`${what}arrival, p99`, p99, MAX_ARRIVAL_MS, milliseconds),
      under(`${what}memory of one`, memory / streams, MAX_MEMORY, kilobytes),
    ];
  },
};
