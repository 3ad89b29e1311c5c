import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import {
  addBenchPlugin,
  createFolder,
  startDaemon,
} from "../measure/daemon.ts";
import { send } from "../measure/http.ts";
import { interleave } from "../measure/rounds.ts";
import { atMost, milliseconds } from "../measure/row.ts";
import { median, medianRatio } from "../measure/statistics.ts";
import type { Bench } from "./bench.ts";

/** Processes of others, as many as on a machine that is used for work. */
const OTHERS = 500;
const TIMES = 50;

/** A program that is run to its end by a plugin, which includes that nothing it started is left. */
export const childProcesses: Bench = {
  name: "processes",
  title: "A child process",
  async run({ rounds, signal }) {
    await using folder = await createFolder();
    await addBenchPlugin(folder.path);
    const others = Array.from({ length: OTHERS }, () =>
      spawn("sleep", ["1000"], { stdio: "ignore" }),
    );
    using _others = {
      [Symbol.dispose]: () => {
        for (const other of others) other.kill("SIGKILL");
      },
    };
    await using daemon = await startDaemon(folder.path, signal);
    const ours = async () => {
      const { body } = await send(`${daemon.base}/api/bench/run`, {
        method: "POST",
        headers: daemon.session,
        body: { times: TIMES },
      });
      return (JSON.parse(body.toString()) as { ms: number }).ms;
    };
    const theirs = async () => {
      const begin = performance.now();
      for (let time = 0; time < TIMES; time++)
        await promisify(execFile)("true", [], { signal });
      return (performance.now() - begin) / TIMES;
    };
    await ours();
    const results = await interleave({ rounds, signal }, { ours, theirs });
    return [
      atMost(
        `Run to its end beside ${OTHERS} others`,
        milliseconds(median(results.ours)),
        `execFile ${milliseconds(median(results.theirs))}`,
        medianRatio(results.ours, results.theirs),
        3,
      ),
    ];
  },
};
