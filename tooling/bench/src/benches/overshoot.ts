import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ask, readAll } from "../measure/automations.ts";
import type { MeasuredRun } from "../measure/automations.ts";
import { createFolder, startDaemon } from "../measure/daemon.ts";
import type { Daemon } from "../measure/daemon.ts";
import { milliseconds, under } from "../measure/row.ts";
import type { Row } from "../measure/row.ts";
import { median } from "../measure/statistics.ts";
import type { Bench } from "./bench.ts";

const CAP_USD = 1;
const STEPS = 80;
const POLL_MS = 5;
/** A process has 3 s after its input closed, 2 s after it was told to end, and then none. */
const MAX_END_MS = 6_000;
const dollars = (value: number): string => `$${value.toFixed(3)}`;

/** What one usage report adds, and how the agent takes being stopped. */
const CASES = [
  { name: "reports of $0.15", usd: 0.15, child: false },
  { name: "reports of $0.02", usd: 0.02, child: false },
  {
    name: "reports of $0.15, a child that hears no signal",
    usd: 0.15,
    child: true,
  },
] as const;

/** Processes that carry a mark in their environment. */
async function countMarked(mark: string): Promise<number> {
  let count = 0;
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const line = await readFile(`/proc/${name}/cmdline`, "utf8").catch(
      () => "",
    );
    const cwd = await readFile(`/proc/${name}/environ`, "utf8").catch(() => "");
    if (line.includes(mark) || cwd.includes(mark)) count++;
  }
  return count;
}

async function measure(
  daemon: Daemon,
  folder: string,
  { usd, child }: (typeof CASES)[number],
  index: number,
): Promise<{ usd: number; ms: number }> {
  const times = join(folder, `times-${index}`);
  const mark = `overshoot-${index}-${Date.now()}`;
  // Each report is told to a file just before it is made; what is left running is found by its name.
  const report = `[[run:date +%s%3N >> ${times}]][[cost:${usd}]][[sleep:100]]`;
  const stubborn = child
    ? `[[run:(trap '' TERM HUP INT; export MARK=${mark}; exec sleep 300) > /dev/null 2>&1 &]]`
    : "";
  const { automation } = await ask<{ automation: { id: string } }>(
    daemon,
    "POST",
    "/api/automations",
    {
      name: `Overshoot ${index}`,
      prompt: `${stubborn}${report.repeat(STEPS)}[[reply:done]]`,
      cli: "practice",
      workspace: folder,
      limits: { maxCostUsd: CAP_USD },
      permissions: { mode: "allow-once", tools: ["shell"] },
    },
  );
  const path = `/api/automations/${automation.id}`;
  await ask(daemon, "POST", `${path}/run`, {});
  const deadline = performance.now() + 60_000;
  let run: MeasuredRun | undefined;
  let wasSeen = !child;
  while (run === undefined || run.result === "running") {
    if (performance.now() > deadline) throw new Error("The run did not end.");
    await sleep(POLL_MS);
    if (!wasSeen) wasSeen = (await countMarked(mark)) > 0;
    [run] = await readAll<MeasuredRun>(daemon, `${path}/runs`);
  }
  if (run.reason !== "cost-cap")
    throw new Error(`The run ended as ${run.result} ${run.reason}.`);
  if (!wasSeen) throw new Error("The stubborn process never lived.");
  while (child && (await countMarked(mark)) > 0) {
    if (performance.now() > deadline) throw new Error("A process stayed.");
    await sleep(POLL_MS);
  }
  const death = Date.now();
  const reports = (await readFile(times, "utf8"))
    .trim()
    .split("\n")
    .map(Number);
  const crossing = reports[Math.floor(CAP_USD / usd + 1e-9)]!;
  return { usd: (run.costUsd ?? 0) - CAP_USD, ms: death - crossing };
}

/** How far a run passes its cap before it is dead. */
export const overshoot: Bench = {
  name: "overshoot",
  title: `Runs that pass a cap of ${dollars(CAP_USD)}`,
  async run({ rounds, signal, say }) {
    await using folder = await createFolder();
    await using daemon = await startDaemon(join(folder.path, "home"), signal);
    const rows: Row[] = [];
    let index = 0;
    for (const one of CASES) {
      say(one.name);
      const found = [];
      for (let round = 0; round < Math.min(rounds, 5); round++) {
        signal.throwIfAborted();
        found.push(await measure(daemon, folder.path, one, index++));
      }
      const most = Math.max(...found.map(({ usd }) => usd));
      rows.push(
        // One report more than the cap is not seen before it is made.
        under(`Overshoot, ${one.name}`, most, 2 * one.usd, dollars),
        under(
          `From crossing to death, ${one.name}`,
          median(found.map(({ ms }) => ms)),
          MAX_END_MS,
          milliseconds,
        ),
      );
    }
    return rows;
  },
};
