import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ask } from "../measure/automations.ts";
import { createFolder, startDaemon } from "../measure/daemon.ts";
import {
  CHANGED_FILE,
  createRepository,
  readStatus,
} from "../measure/repository.ts";
import { interleave } from "../measure/rounds.ts";
import { atMost, milliseconds, under } from "../measure/row.ts";
import { median, medianRatio } from "../measure/statistics.ts";
import type { Bench } from "./bench.ts";

const FILES = 10_000;
const MAX_MS = 300;
const MAX_RATIO = 1.5;

/**
 * What an agent's turn waits for the snapshot of its folder: a turn in a repository with a changed file, less
 * one in a folder of which no snapshot is taken.
 */
export const snapshot: Bench = {
  name: "snapshot",
  title: `Turns in a working tree of ${FILES} files`,
  async run({ rounds, signal, say }) {
    await using folder = await createFolder();
    const [tree, plain] = ["tree", "plain"].map((name) =>
      join(folder.path, name),
    ) as [string, string];
    say("making the files");
    await createRepository(tree, FILES);
    await mkdir(plain);
    await using daemon = await startDaemon(join(folder.path, "home"), signal);
    let changes = 0;
    const createTurn = async (cwd: string) => {
      const { id } = await ask<{ id: string }>(daemon, "POST", "/api/agents", {
        ...{ name: "Turns", cli: "practice", cwd },
      });
      return async () => {
        // Resolves when the snapshot after the turn before is taken.
        await ask(daemon, "GET", `/api/agents/${id}/turn-changes`);
        if (cwd === tree)
          await writeFile(join(tree, CHANGED_FILE), `${(changes += 1)}\n`);
        const begin = performance.now();
        const text = "[[reply:Done.]]";
        await ask(daemon, "POST", `/api/agents/${id}/ask`, { text });
        return performance.now() - begin;
      };
    };
    const turn = await createTurn(tree);
    const bare = await createTurn(plain);
    const status = async () => {
      const begin = performance.now();
      await readStatus(tree, signal);
      return performance.now() - begin;
    };
    const measures = { turn, bare, status };
    // The first turns start the agents, and the first snapshot reads all files.
    await interleave({ rounds: 2, signal }, measures);
    const times = await interleave({ rounds: rounds * 2, signal }, measures);
    const ours = times.turn.map((ms, round) =>
      Math.max(0, ms - (times.bare[round] ?? Number.NaN)),
    );
    const what = `Snapshot of ${FILES} files before a turn`;
    return [
      under(what, median(ours), MAX_MS, milliseconds),
      atMost(
        "… beside the status",
        milliseconds(median(ours)),
        `git status alone ${milliseconds(median(times.status))}`,
        medianRatio(ours, times.status),
        MAX_RATIO,
      ),
    ];
  },
};
