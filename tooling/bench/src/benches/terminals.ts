import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { createFolder, startDaemon } from "../measure/daemon.ts";
import type { Daemon } from "../measure/daemon.ts";
import { interleave } from "../measure/rounds.ts";
import { atLeast, milliseconds, under } from "../measure/row.ts";
import type { Row } from "../measure/row.ts";
import { median, medianRatio } from "../measure/statistics.ts";
import { startNode } from "../measure/process.ts";
import { close, open } from "../measure/terminal.ts";
import { echoes } from "../measure/terminal-echo.ts";
import { openViewer } from "../measure/terminal-viewer.ts";
import type { Bench, BenchSettings } from "./bench.ts";

const BYTES = 50_000_000;
/** Fewer would be a matter of luck: how a terminal is read depends on where the system lets its two ends run. */
const MIN_ROUNDS = 5;
const OPENINGS = 10;
const TERMINALS = 10;
const LINES = 2_000;
const COLUMNS = 100;
const READER = fileURLToPath(
  new URL("../workers/pty-reader.ts", import.meta.url),
);

/** The time that 50 MB take from a file to a viewer, in ms. */
async function showFile(
  daemon: Daemon,
  folder: string,
  file: string,
): Promise<number> {
  const id = await open(daemon, folder, `read x; cat ${file}`);
  const viewer = await openViewer(daemon, id);
  await viewer.drawn;
  const from = viewer.bytes;
  const begin = performance.now();
  viewer.type("\r");
  await viewer.until(from + BYTES);
  const took = performance.now() - begin;
  viewer.close();
  await close(daemon, id);
  return took;
}

/** The same with node-pty alone, in a process that does nothing else. */
async function showFileAlone(
  file: string,
  signal: AbortSignal,
): Promise<number> {
  await using reader = startNode(
    ["--conditions=gantry-source", READER, file, String(BYTES)],
    signal,
  );
  return Number(await text(reader.child.stdout!));
}

/** The time until a new terminal shows something, in ms. */
async function openOne(daemon: Daemon, folder: string): Promise<number> {
  const begin = performance.now();
  const id = await open(daemon, folder, "echo up; read x");
  const viewer = await openViewer(daemon, id);
  await viewer.until(2);
  const took = performance.now() - begin;
  viewer.close();
  await close(daemon, id);
  return took;
}

/** Runs a measurement while a terminal writes to a viewer as fast as it can. */
async function duringFlood<Result>(
  daemon: Daemon,
  folder: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const id = await open(daemon, folder, `exec yes ${"flood ".repeat(12)}`);
  const { base, session } = daemon;
  const worker = new Worker(
    new URL("../workers/flood-viewer.ts", import.meta.url),
    { workerData: { id, access: { base, session } } },
  );
  await once(worker, "message");
  const result = await work();
  await worker.terminate();
  await close(daemon, id);
  return result;
}

/** The time until ten terminals full of text are there again after a restart, in ms. */
async function reattach({ signal }: BenchSettings): Promise<number> {
  await using folder = await createFolder();
  const home = join(folder.path, "home");
  const ids: string[] = [];
  {
    await using daemon = await startDaemon(home, signal);
    for (let index = 0; index < TERMINALS; index++) {
      const command = `seq -f "%0${COLUMNS - 20}.0f" ${LINES}; echo end; read x`;
      const id = await open(daemon, folder.path, command);
      const viewer = await openViewer(daemon, id);
      await viewer.until(LINES * (COLUMNS - 20));
      viewer.close();
      ids.push(id);
    }
  }
  await using daemon = await startDaemon(home, signal);
  const begin = performance.now();
  await Promise.all(
    ids.map(async (id) => {
      const viewer = await openViewer(daemon, id);
      await viewer.drawn;
      if (viewer.bytes < LINES * (COLUMNS - 20))
        throw new Error("A terminal is there again without its text.");
      viewer.close();
    }),
  );
  const took = performance.now() - begin;
  for (const id of ids) await close(daemon, id);
  return took;
}

/** How fast terminals are, against a PTY that nothing lies in between. */
export const terminals: Bench = {
  name: "terminals",
  title: "Terminals",
  async run(settings): Promise<Row[]> {
    const { rounds, signal, say } = settings;
    await using folder = await createFolder();
    const { path } = folder;
    await using daemon = await startDaemon(join(path, "home"), signal);
    const line = `${"the quick brown fox ".repeat(5).slice(0, COLUMNS - 1)}\n`;
    const file = join(path, "text");
    await writeFile(file, line.repeat(Math.ceil(BYTES / line.length)));
    await showFile(daemon, path, file);
    const { ours, theirs } = await interleave(
      { rounds: Math.max(rounds, MIN_ROUNDS), signal },
      {
        ours: () => showFile(daemon, path, file),
        theirs: () => showFileAlone(file, signal),
      },
    );
    say("typing");
    const quiet = await echoes(daemon, path, signal);
    const [flooded, opened] = await duringFlood(daemon, path, async () => {
      const times = await echoes(daemon, path, signal);
      const openings: number[] = [];
      while (openings.length < OPENINGS)
        openings.push(await openOne(daemon, path));
      return [times, openings] as const;
    });
    say("a restart");
    const restarts: number[] = [];
    for (let round = 0; round < Math.min(rounds, 5); round++)
      restarts.push(await reattach(settings));
    const speed = (times: readonly number[]) =>
      `${Math.round(BYTES / 1e3 / median(times))} MB/s`;
    return [
      atLeast(
        "50 MB of text to one who looks",
        speed(ours),
        `node-pty alone ${speed(theirs)}`,
        medianRatio(theirs, ours),
        0.85,
      ),
      under(
        "Echo of a key, p99, quiet",
        quiet.ours,
        2,
        milliseconds,
        quiet.beside,
      ),
      under(
        "Echo of a key, p99, while another floods",
        flooded.ours,
        6,
        milliseconds,
        flooded.beside,
      ),
      under(
        "A new terminal shows something, during a flood, slowest of 10",
        Math.max(...opened),
        200,
        milliseconds,
      ),
      under(
        "10 terminals of 2,000 lines there again after a restart",
        median(restarts),
        1_000,
        milliseconds,
      ),
    ];
  },
};
