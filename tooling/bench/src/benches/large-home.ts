import {
  createFolder,
  daemonArguments,
  startDaemon,
} from "../measure/daemon.ts";
import { findFreePort } from "../measure/free-port.ts";
import { send, waitFor200 } from "../measure/http.ts";
import { fillHome } from "../measure/large-home.ts";
import type { HomeSize } from "../measure/large-home.ts";
import { readMemory, startNode } from "../measure/process.ts";
import { interleave } from "../measure/rounds.ts";
import { atMost, megabytes, milliseconds } from "../measure/row.ts";
import { median, medianRatio } from "../measure/statistics.ts";
import type { Bench } from "./bench.ts";

const SIZE: HomeSize = {
  snippets: 100_000,
  automations: 10_000,
  events: 100_000,
};
const QUICK_DIVISOR = 20;
const MAX_START_RATIO = 1.5;
const MAX_LIST_RATIO = 2.5;
const MAX_MEMORY_RATIO = 1.5;
/** Requests that are answered only once the plugins have their indexes and their plans. */
const LISTS = ["/api/snips?limit=1", "/api/automations?limit=1"];

interface Start {
  /** From the start of the process to the first 200 of a page, in ms. */
  firstPage: number;
  /** From the start of the process, with the pairing, to an answer of each list, in ms. */
  lists: number;
  memory: number;
}

async function measureStart(home: string, signal: AbortSignal): Promise<Start> {
  const port = await findFreePort();
  const begin = performance.now();
  let firstPage: number;
  {
    await using _running = startNode(daemonArguments(home, port), signal);
    await waitFor200(`http://127.0.0.1:${port}/pair`, signal, {
      host: `gantry.localhost:${port}`,
    });
    firstPage = performance.now() - begin;
  }
  const again = performance.now();
  await using daemon = await startDaemon(home, signal);
  for (const path of LISTS) {
    const { status } = await send(daemon.base + path, {
      headers: daemon.session,
      signal,
    });
    if (status !== 200) throw new Error(`${path} answered ${status}.`);
  }
  const lists = performance.now() - again;
  return { firstPage, lists, memory: await readMemory(daemon.pid) };
}

/** A start on a home with many snippets, automations and events, as a ratio to a start on an empty home. */
export const largeHome: Bench = {
  name: "large-home",
  title: "Start on a large home",
  async run({ rounds, isQuick, signal, say }) {
    await using emptyFolder = await createFolder();
    await using largeFolder = await createFolder();
    const divisor = isQuick ? QUICK_DIVISOR : 1;
    const size: HomeSize = {
      snippets: SIZE.snippets / divisor,
      automations: SIZE.automations / divisor,
      events: SIZE.events / divisor,
    };
    const empty = () => measureStart(emptyFolder.path, signal);
    const large = () => measureStart(largeFolder.path, signal);
    await empty();
    await large();
    say("filling the large home, which takes a minute or less");
    await fillHome(largeFolder.path, size);
    // The first start plans the schedules and builds indexes whose definition is spelt differently in the bundle.
    await large();
    const results = await interleave({ rounds, signal }, { empty, large });
    const compare = (
      what: string,
      valueOf: (start: Start) => number,
      show: (value: number) => string,
      maxRatio: number,
    ) => {
      const ours = results.large.map(valueOf);
      const theirs = results.empty.map(valueOf);
      return atMost(
        `${size.snippets.toLocaleString("en")} snippets, ${size.automations.toLocaleString("en")} automations, ${size.events.toLocaleString("en")} events: ${what}`,
        show(median(ours)),
        `empty home ${show(median(theirs))}`,
        medianRatio(ours, theirs),
        maxRatio,
      );
    };
    return [
      compare(
        "start to first 200",
        ({ firstPage }) => firstPage,
        milliseconds,
        MAX_START_RATIO,
      ),
      compare(
        "start to first lists",
        ({ lists }) => lists,
        milliseconds,
        MAX_LIST_RATIO,
      ),
      compare(
        "memory after the lists",
        ({ memory }) => memory,
        megabytes,
        MAX_MEMORY_RATIO,
      ),
    ];
  },
};
