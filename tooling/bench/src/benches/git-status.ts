import { join } from "node:path";
import { ask } from "../measure/automations.ts";
import { createFolder, startDaemon } from "../measure/daemon.ts";
import { createRepository, readStatus } from "../measure/repository.ts";
import { interleave } from "../measure/rounds.ts";
import { atMost, milliseconds } from "../measure/row.ts";
import { median, medianRatio } from "../measure/statistics.ts";
import type { Bench } from "./bench.ts";

const FILES = 500;
const TIMES = 20;

/** The status of an agent's repository, which runs nothing that the repository names. */
export const gitStatus: Bench = {
  name: "git",
  title: `The status of a repository with ${FILES} files`,
  async run({ rounds, signal }) {
    await using folder = await createFolder();
    const cwd = join(folder.path, "project");
    await createRepository(cwd, FILES);
    await using daemon = await startDaemon(join(folder.path, "home"), signal);
    const { id } = await ask<{ id: string }>(daemon, "POST", "/api/agents", {
      name: "Git",
      cwd,
    });
    const time = async (work: () => Promise<unknown>) => {
      const begin = performance.now();
      for (let count = 0; count < TIMES; count++) await work();
      return (performance.now() - begin) / TIMES;
    };
    const ours = () =>
      time(() => ask(daemon, "GET", `/api/agents/${id}/gitstatus`));
    const theirs = () => time(() => readStatus(cwd, signal));
    await ours();
    const results = await interleave({ rounds, signal }, { ours, theirs });
    return [
      atMost(
        `Status of ${FILES} files, one of them changed`,
        milliseconds(median(results.ours)),
        `git alone ${milliseconds(median(results.theirs))}`,
        medianRatio(results.ours, results.theirs),
        4,
      ),
    ];
  },
};
