import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ask } from "../measure/automations.ts";
import { createFolder, startDaemon } from "../measure/daemon.ts";
import type { Daemon } from "../measure/daemon.ts";
import { load } from "../measure/load.ts";
import { readMemory } from "../measure/process.ts";
import { interleave } from "../measure/rounds.ts";
import { atMost, kilobytes, milliseconds, under } from "../measure/row.ts";
import { median, medianRatio } from "../measure/statistics.ts";
import { writeTranscript } from "../measure/transcript.ts";
import type { Bench } from "./bench.ts";

const FEW = 10;
const MANY = 1_000;
const ENTRIES = 100_000;
/** New agents that one round makes. */
const MADE = 20;

/** Makes agents that work in one folder, and writes what each is to have said. */
async function fill(
  daemon: Daemon,
  home: string,
  count: number,
  entries: number,
): Promise<void> {
  const cwd = join(home, "project");
  await mkdir(cwd, { recursive: true });
  for (let made = 0; made < count; made += 1) {
    const { id } = await ask<{ id: string }>(daemon, "POST", "/api/agents", {
      name: `Agent ${made}`,
      cwd,
    });
    await writeTranscript(home, id, entries / count);
  }
}

/** Agents at rest: they cost neither time nor memory, however much they have said. */
export const agents: Bench = {
  name: "agents",
  title: `${FEW} agents, and ${MANY} with ${ENTRIES} entries`,
  async run({ rounds, seconds, signal, say }) {
    await using fewFolder = await createFolder();
    await using manyFolder = await createFolder();
    say("making the agents");
    for (const [folder, count, entries] of [
      [fewFolder, FEW, FEW * 10],
      [manyFolder, MANY, ENTRIES],
    ] as const) {
      await using daemon = await startDaemon(folder.path, signal);
      await fill(daemon, folder.path, count, entries);
    }
    // Restarted, since memory that making the agents has left is not part of their cost at rest.
    await using few = await startDaemon(fewFolder.path, signal);
    await using many = await startDaemon(manyFolder.path, signal);
    const list = (daemon: Daemon) => async () => {
      const { perSecond } = await load({
        url: `${daemon.base}/api/agents?limit=${FEW}`,
        headers: daemon.session,
        connections: 1,
        seconds,
        signal,
      });
      return 1000 / perSecond;
    };
    await list(few)();
    await list(many)();
    const idle = {
      few: await readMemory(few.pid),
      many: await readMemory(many.pid),
    };
    const listed = await interleave(
      { rounds, signal },
      { few: list(few), many: list(many) },
    );
    const make = (daemon: Daemon, home: string) => async () => {
      const begun = performance.now();
      await fill(daemon, home, MADE, 0);
      return (performance.now() - begun) / MADE;
    };
    const made = await interleave(
      { rounds, signal },
      {
        few: make(few, fewFolder.path),
        many: make(many, manyFolder.path),
      },
    );
    const compare = (what: string, of: { few: number[]; many: number[] }) =>
      atMost(
        what,
        milliseconds(median(of.many)),
        `of ${FEW} ${milliseconds(median(of.few))}`,
        medianRatio(of.many, of.few),
        1.2,
      );
    return [
      compare(`First page of ${MANY} agents`, listed),
      compare(`Making an agent beside ${MANY}`, made),
      under(
        "Memory of an agent at rest",
        Math.max(0, idle.many - idle.few) / (MANY - FEW),
        20_000,
        kilobytes,
      ),
    ];
  },
};
