import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ask } from "../measure/automations.ts";
import { createFolder, startDaemon } from "../measure/daemon.ts";
import { interleave } from "../measure/rounds.ts";
import { atMost, milliseconds } from "../measure/row.ts";
import { median, medianRatio } from "../measure/statistics.ts";
import type { Bench } from "./bench.ts";

const run = promisify(execFile);
const FILES = 500;
const TIMES = 20;

/** The status of an agent's repository, which runs nothing that the repository names. */
export const gitStatus: Bench = {
  name: "git",
  title: `The status of a repository with ${FILES} files`,
  async run({ rounds, signal }) {
    await using folder = await createFolder();
    const cwd = join(folder.path, "project");
    await createRepository(cwd);
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
    const theirs = () =>
      time(() =>
        run("git", ["status", "--porcelain=v2", "--branch", "-z"], {
          cwd,
          signal,
        }),
      );
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

async function createRepository(cwd: string): Promise<void> {
  await mkdir(cwd, { recursive: true });
  const git = (...args: string[]) =>
    run("git", ["-c", "user.name=Bench", "-c", "user.email=b@x", ...args], {
      cwd,
    });
  await git("init", "--quiet");
  for (let file = 0; file < FILES; file++)
    await writeFile(join(cwd, `file-${file}.txt`), `${file}\n`);
  await git("add", ".");
  await git("commit", "--quiet", "--message", "All");
  await writeFile(join(cwd, "file-1.txt"), "changed\n");
}
