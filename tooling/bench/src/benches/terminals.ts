import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { createFolder, startDaemon } from "../measure/daemon.ts";
import type { Daemon } from "../measure/daemon.ts";
import { send } from "../measure/http.ts";
import { interleave } from "../measure/rounds.ts";
import { atLeast, milliseconds, under } from "../measure/row.ts";
import type { Row } from "../measure/row.ts";
import { median, medianRatio, percentile99 } from "../measure/statistics.ts";
import { openViewer } from "../measure/terminal-viewer.ts";
import type { Bench, BenchSettings } from "./bench.ts";

const BYTES = 50_000_000;
const KEYS = 500;
const OPENINGS = 10;
const TERMINALS = 10;
const LINES = 2_000;
const COLUMNS = 100;

interface Pty {
  onData(listen: (data: Buffer) => void): void;
  onExit(listen: () => void): void;
}

const { spawn } = createRequire(
  new URL("../../../../plugins/terminals/package.json", import.meta.url),
)("node-pty") as {
  spawn(file: string, args: string[], options: object): Pty;
};

/** Opens a terminal that runs a command line. */
async function open(
  { base, session }: Daemon,
  cwd: string,
  command: string,
): Promise<string> {
  const { status, body } = await send(`${base}/api/terminals`, {
    method: "POST",
    headers: session,
    body: { kind: "cli", cwd, command },
  });
  const { id, detail } = JSON.parse(body.toString()) as {
    id: string;
    detail?: string;
  };
  if (status !== 200) throw new Error(`No terminal: ${detail ?? status}`);
  return id;
}

async function close({ base, session }: Daemon, id: string): Promise<void> {
  await send(`${base}/api/terminals/${id}`, {
    method: "DELETE",
    headers: session,
  });
}

/** The time that 50 MB take from a file to somebody who looks, in ms. */
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

/** The same with node-pty alone, in this process. */
async function showFileAlone(folder: string, file: string): Promise<number> {
  const begin = performance.now();
  const pty = spawn("/bin/sh", ["-c", `cat ${file}`], {
    cwd: folder,
    encoding: null,
  });
  let bytes = 0;
  await new Promise<void>((resolve, reject) => {
    pty.onData((data) => {
      bytes += data.length;
      if (bytes >= BYTES) resolve();
    });
    pty.onExit(() => reject(new Error(`Only ${bytes} bytes came.`)));
  });
  return performance.now() - begin;
}

/** Times from a key to its echo, in ms. */
async function echo(daemon: Daemon, folder: string): Promise<number[]> {
  const id = await open(daemon, folder, "stty raw -echo; echo up; exec cat");
  const viewer = await openViewer(daemon, id);
  await viewer.drawn;
  await viewer.until(2);
  const times: number[] = [];
  for (let key = 0; key < KEYS; key++) {
    const answer = viewer.next();
    const begin = performance.now();
    viewer.type("x");
    await answer;
    times.push(performance.now() - begin);
    // As somebody types, and not as fast as one key follows the other.
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  viewer.close();
  await close(daemon, id);
  return times;
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

/** Works while a terminal writes as fast as it can to somebody who looks. */
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
      { rounds, signal },
      {
        ours: () => showFile(daemon, path, file),
        theirs: () => showFileAlone(path, file),
      },
    );
    say("typing");
    const quiet = await echo(daemon, path);
    const [flooded, opened] = await duringFlood(daemon, path, async () => {
      const times = await echo(daemon, path);
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
      under("Echo of a key, p99, quiet", percentile99(quiet), 2, milliseconds),
      under(
        "Echo of a key, p99, while another floods",
        percentile99(flooded),
        6,
        milliseconds,
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
