import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { ask, readAll } from "../measure/automations.ts";
import type { MeasuredRun } from "../measure/automations.ts";
import { createFolder, startDaemon } from "../measure/daemon.ts";
import { send } from "../measure/http.ts";
import { milliseconds, under } from "../measure/row.ts";
import type { Row } from "../measure/row.ts";
import { percentile99 } from "../measure/statistics.ts";
import type { Bench } from "./bench.ts";

const CALLS_A_SECOND = 200;
const SECONDS = 30;
/** Connections that the calls come on. */
const CALLERS = 50;
const CAP = 3;
const MAX_OTHER_MS = 50;
const OTHER_EVERY_MS = 50;

interface Call {
  verdict: string;
  count: number;
}

function exactly(what: string, value: number, wanted: number): Row {
  return {
    what,
    ours: String(value),
    against: "limit",
    ratio: value / wanted,
    aim: `= ${wanted}`,
    isMet: value === wanted,
  };
}

/** A webhook that is called far more often than its automation may run. */
export const webhookStorm: Bench = {
  name: "storm",
  title: `A webhook called ${CALLS_A_SECOND} times a second for ${SECONDS} s`,
  async run({ signal }) {
    await using folder = await createFolder();
    await using daemon = await startDaemon(folder.path, signal);
    const { automation, webhookSecret } = await ask<{
      automation: { id: string };
      webhookSecret: string;
    }>(daemon, "POST", "/api/automations", {
      name: "Storm",
      prompt: "[[reply:done]]",
      cli: "practice",
      webhook: true,
      limits: { maxRunsPerHour: CAP },
    });
    const path = `/api/automations/${automation.id}`;
    const headers = { authorization: `Bearer ${webhookSecret}` };
    const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
    const calls: Promise<number>[] = [];
    const others: Promise<number>[] = [];
    const begin = performance.now();
    const end = begin + SECONDS * 1000;
    let lastOther = 0;
    while (performance.now() < end) {
      signal.throwIfAborted();
      const due = Math.floor(
        ((performance.now() - begin) / 1000) * CALLS_A_SECOND,
      );
      for (let sent = calls.length; sent < due; sent++)
        calls.push(
          send(`${daemon.base}${path}/fire`, {
            method: "POST",
            headers,
            agent,
            body: { sent },
          }).then(({ status }) => status),
        );
      if (performance.now() - lastOther > OTHER_EVERY_MS) {
        lastOther = performance.now();
        const asked = lastOther;
        others.push(
          ask(daemon, "GET", "/api/automations").then(
            () => performance.now() - asked,
          ),
        );
      }
      await sleep(2);
    }
    const statuses = await Promise.all(calls);
    agent.destroy();
    const odd = statuses.filter((status) => status !== 200 && status !== 429);
    if (odd.length > 0) throw new Error(`Calls were answered ${odd[0]}.`);
    const runs = await readAll<MeasuredRun>(daemon, `${path}/runs`);
    const listed = await readAll<Call>(daemon, `${path}/calls`);
    const rows = listed.reduce((sum, { count }) => sum + count, 0);
    const started = runs.filter(({ result }) => result !== "skipped").length;
    const what = `${statuses.length} webhook calls in ${SECONDS} s: `;
    return [
      under(`${what}runs that began`, started, CAP, String),
      exactly(`${what}entries in the ledger`, rows, statuses.length),
      under(
        `${what}the list meanwhile, p99`,
        percentile99(await Promise.all(others)),
        MAX_OTHER_MS,
        milliseconds,
      ),
    ];
  },
};
