import type { Daemon } from "./daemon.ts";
import { interleave } from "./rounds.ts";
import { milliseconds } from "./row.ts";
import { percentile99 } from "./statistics.ts";
import { close, open, spawn } from "./terminal.ts";
import { openViewer } from "./terminal-viewer.ts";

const KEYS = 300;
const ROUNDS = 3;

/** What shows each key as it comes. */
const ECHOES = "stty raw -echo; echo up; exec cat";

/** Times from a key to its echo, in ms. */
async function time(
  type: () => void,
  next: () => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  for (let key = 0; key < KEYS; key++) {
    const answer = next();
    const begin = performance.now();
    type();
    await answer;
    times.push(performance.now() - begin);
    // A pause as between the keys of a user who types.
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return times;
}

async function echo(daemon: Daemon, folder: string): Promise<number[]> {
  const id = await open(daemon, folder, ECHOES);
  const viewer = await openViewer(daemon, id);
  await viewer.drawn;
  await viewer.until(2);
  const times = await time(() => viewer.type("x"), viewer.next);
  viewer.close();
  await close(daemon, id);
  return times;
}

/** The same with node-pty alone. */
async function echoAlone(folder: string): Promise<number[]> {
  const pty = spawn("/bin/sh", ["-c", ECHOES], { cwd: folder, encoding: null });
  let wake = () => {};
  pty.onData(() => wake());
  pty.onExit(() => {});
  const next = () => new Promise<void>((resolve) => (wake = resolve));
  await next();
  const times = await time(() => pty.write("x"), next);
  pty.kill();
  return times;
}

/** Both in turns, after a round that does not count; p99 of all keys. */
export async function echoes(
  daemon: Daemon,
  folder: string,
  signal: AbortSignal,
): Promise<{ ours: number; beside: string }> {
  await echo(daemon, folder);
  const { ours, theirs } = await interleave(
    { rounds: ROUNDS, signal },
    {
      ours: () => echo(daemon, folder),
      theirs: () => echoAlone(folder),
    },
  );
  const alone = milliseconds(percentile99(theirs.flat()));
  return {
    ours: percentile99(ours.flat()),
    beside: `node-pty alone ${alone}`,
  };
}
