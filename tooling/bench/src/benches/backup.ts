import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "../measure/automations.ts";
import {
  addBenchPlugin,
  createFolder,
  startDaemon,
} from "../measure/daemon.ts";
import type { Daemon } from "../measure/daemon.ts";
import { fillList } from "../measure/fill-list.ts";
import { send } from "../measure/http.ts";
import { measureMeanwhile, type Meanwhile } from "../measure/other-requests.ts";
import { readMemory } from "../measure/process.ts";
import { writeProse } from "../measure/prose-file.ts";
import { atMost, megabytes, milliseconds, under } from "../measure/row.ts";
import type { Row } from "../measure/row.ts";
import { measureTar, type TarTimes } from "../measure/tar-peer.ts";
import type { Bench, BenchSettings } from "./bench.ts";

const RECORDS = 100_000;
const TRANSCRIPTS = 200;
const TRANSCRIPT_BYTES = 5_000_000;
/** Of the size above, where little time is to be spent. */
const QUICK_SHARE = 0.05;
const CHANGED_BYTES = 1_000_000;
/** Time without a snapshot, in which the other clients are measured for comparison. */
const IDLE_MS = 5_000;
/** What was changed just before it is copied is read again the next time. */
const SETTLE_MS = 2_500;
const RESTORE_LIMIT_MS = 600_000;
const POLL_MS = 50;
const MAX_MEMORY = 64 * 1024 ** 2;
const MAX_OTHER_MS = 50;
const MAX_TIMES_REST = 5;
const MAX_SECOND_MS = 2_000;
const MAX_SECOND_BYTES = 5e6;
const MAX_TIMES_TAR = 4;
const MAX_ALONE_MS = 120_000;

interface Snapshot {
  id: string;
  ownBytes: number;
  contentBytes: number;
  records: number;
}

/** Makes records and conversations, and stops: what that leaves in memory is not what a backup costs. Gives their files. */
async function fillHome(
  path: string,
  share: number,
  signal: AbortSignal,
): Promise<string[]> {
  await addBenchPlugin(path);
  await using daemon = await startDaemon(path, signal);
  await fillList(daemon, "long", RECORDS * share);
  const transcripts: string[] = [];
  for (let count = 0; count < TRANSCRIPTS * share; count += 1) {
    signal.throwIfAborted();
    const { id } = await ask<{ id: string }>(daemon, "POST", "/api/agents", {
      name: `Agent ${count}`,
      cli: "practice",
    });
    const file = join(path, "data", "agents", "transcripts", `${id}.jsonl`);
    await writeProse(file, TRANSCRIPT_BYTES, count);
    transcripts.push(file);
  }
  return transcripts;
}

const backUp = async (daemon: Daemon) =>
  (await ask<{ snapshot: Snapshot }>(daemon, "POST", "/api/backup/now", {}))
    .snapshot;

/** From the request until the daemon runs on what was restored, in ms. */
async function measureRestore(
  daemon: Daemon,
  id: string,
  signal: AbortSignal,
): Promise<number> {
  const begin = performance.now();
  const body = { id, keepsSessions: true };
  await ask(daemon, "POST", "/api/backup/restore", body);
  const url = `${daemon.base}/api/backup`;
  while (performance.now() - begin < RESTORE_LIMIT_MS) {
    signal.throwIfAborted();
    const answer = await send(url, { headers: daemon.session }).catch(
      () => undefined,
    );
    if (answer?.status === 200) {
      const { lastRestore } = JSON.parse(answer.body.toString()) as {
        lastRestore: { snapshotId: string; failure: string | null } | null;
      };
      if (lastRestore?.failure) throw new Error(lastRestore.failure);
      if (lastRestore?.snapshotId === id) return performance.now() - begin;
    }
    await sleep(POLL_MS);
  }
  throw new Error("The restore did not end.");
}

const showLoad = () => `load ${loadavg()[0]?.toFixed(1)}`;

/** What was measured of one home. */
interface Figures {
  peer: TarTimes | undefined;
  idle: Meanwhile<unknown>;
  /** Resident before the first snapshot, in bytes. */
  memory: number;
  first: Meanwhile<Snapshot>;
  second: { snapshot: Snapshot; ms: number };
  restoreMs: number;
}

async function measure({
  signal,
  say,
  isQuick,
}: BenchSettings): Promise<Figures> {
  const tell = (text: string) => say(`${text}, ${showLoad()}`);
  await using folder = await createFolder();
  tell("filling the home");
  const path = join(folder.path, "home");
  const transcripts = await fillHome(path, isQuick ? QUICK_SHARE : 1, signal);
  tell("tar and zstd");
  const peer = await measureTar(path, folder.path, signal);
  await using daemon = await startDaemon(path, signal);
  tell("at rest");
  const rest = () =>
    measureMeanwhile(daemon, signal, () => sleep(IDLE_MS, undefined));
  // What is loaded and compiled at the first use is no part of it.
  await rest();
  const idle = await rest();
  await ask(daemon, "PUT", "/api/backup", {
    folder: join(folder.path, "backups"),
    everyMinutes: 43_200,
    includeTranscripts: true,
  });
  const memory = await readMemory(daemon.pid);
  tell("first snapshot");
  const first = await measureMeanwhile(daemon, signal, () => backUp(daemon));
  await writeProse(transcripts[0] ?? "", CHANGED_BYTES, transcripts.length);
  await sleep(SETTLE_MS, undefined, { signal });
  tell("second snapshot");
  const begin = performance.now();
  const snapshot = await backUp(daemon);
  const second = { snapshot, ms: performance.now() - begin };
  tell("restore");
  const restoreMs = await measureRestore(daemon, snapshot.id, signal);
  tell("done");
  return { peer, idle, memory, first, second, restoreMs };
}

/** Against `tar` and `zstd`, or against a limit where they are not there. */
function compare(what: string, ms: number, peer: number | undefined): Row {
  if (peer === undefined) return under(what, ms, MAX_ALONE_MS, milliseconds);
  const other = `tar and zstd ${milliseconds(peer)}`;
  return atMost(what, milliseconds(ms), other, ms / peer, MAX_TIMES_TAR);
}

/** A p99 against the limit, and against that of the daemon at rest. */
function meanwhile(what: string, p99: number, atRest: number): Row[] {
  const other = `at rest ${milliseconds(atRest)}`;
  return [
    under(what, p99, MAX_OTHER_MS, milliseconds),
    atMost(what, milliseconds(p99), other, p99 / atRest, MAX_TIMES_REST),
  ];
}

/** A snapshot of a large home costs others little, the next one costs what changed, and it can be restored. */
export const backup: Bench = {
  name: "backup",
  title: "Backup and restore of a home with much in it",
  async run(settings) {
    const { peer, idle, memory, first, second, restoreMs } =
      await measure(settings);
    const { records, contentBytes } = first.result;
    const size = `${records} records, ${megabytes(contentBytes)}`;
    return [
      compare(`First snapshot, ${size}`, first.ms, peer?.pack),
      under(
        "Memory that it takes at most",
        Math.max(0, first.memory - memory),
        MAX_MEMORY,
        megabytes,
        `at rest ${megabytes(memory)}`,
      ),
      ...meanwhile(
        "A page of a list meanwhile, p99",
        first.readsP99,
        idle.readsP99,
      ),
      ...meanwhile(
        "A durable write meanwhile, p99",
        first.writesP99,
        idle.writesP99,
      ),
      under(
        `Second snapshot, ${megabytes(CHANGED_BYTES)} changed`,
        second.ms,
        MAX_SECOND_MS,
        milliseconds,
      ),
      under(
        "What it adds to the folder",
        second.snapshot.ownBytes,
        MAX_SECOND_BYTES,
        megabytes,
      ),
      // It makes a snapshot of what is there before.
      compare(
        "Restore, until the daemon runs on it",
        restoreMs,
        peer && peer.pack + peer.unpack,
      ),
    ];
  },
};
