import { ask } from "../measure/automations.ts";
import { createFolder, startDaemon } from "../measure/daemon.ts";
import type { Daemon } from "../measure/daemon.ts";
import { send } from "../measure/http.ts";
import { readMemory } from "../measure/process.ts";
import { megabytes, milliseconds, under } from "../measure/row.ts";
import { median } from "../measure/statistics.ts";
import { writeTranscript } from "../measure/transcript.ts";
import type { Bench } from "./bench.ts";

const ENTRIES = 150_000;

/** Exporting and importing a long conversation does not delay other requests. */
export const transfers: Bench = {
  name: "transfers",
  title: `A conversation of ${ENTRIES} entries, out and in`,
  async run({ rounds, signal }) {
    await using folder = await createFolder();
    await using daemon = await startDaemon(folder.path, signal);
    const create = async () =>
      (
        await ask<{ id: string }>(daemon, "POST", "/api/agents", {
          name: "Long",
          cli: "practice",
        })
      ).id;
    const source = await create();
    await writeTranscript(folder.path, source, ENTRIES);
    const before = await readMemory(daemon.pid);
    const waits: { out: number[]; in: number[] } = { out: [], in: [] };
    let bytes = 0;
    for (let round = 0; round < Math.min(rounds, 3); round++) {
      signal.throwIfAborted();
      const exported = await measureWait(daemon, () =>
        call(daemon, "GET", `/api/agents/${source}/export`),
      );
      bytes = exported.body.length;
      waits.out.push(exported.wait);
      const target = await create();
      const imported = await measureWait(daemon, () =>
        call(daemon, "POST", `/api/agents/${target}/import`, exported.body),
      );
      waits.in.push(imported.wait);
      await ask(daemon, "DELETE", `/api/agents/${target}`, {
        transcript: true,
      });
    }
    const grown = (await readMemory(daemon.pid)) - before;
    const size = megabytes(bytes);
    return [
      under(
        `Longest wait of others while ${size} go out`,
        median(waits.out),
        100,
        milliseconds,
      ),
      under(
        `Longest wait of others while ${size} come in`,
        median(waits.in),
        250,
        milliseconds,
      ),
      under("Memory afterwards", Math.max(0, grown), 150e6, megabytes),
    ];
  },
};

async function call(
  { base, session }: Daemon,
  method: string,
  path: string,
  bytes?: Buffer,
): Promise<Buffer> {
  const headers = bytes
    ? { ...session, "content-type": "application/x-ndjson" }
    : session;
  const answer = await send(base + path, { method, headers, bytes });
  if (answer.status !== 200)
    throw new Error(`${method} ${path}: ${answer.body.toString()}`);
  return answer.body;
}

/** Does something, and tells how long the slowest other request took meanwhile, in ms. */
async function measureWait(
  daemon: Daemon,
  work: () => Promise<Buffer>,
): Promise<{ body: Buffer; wait: number }> {
  let isOver = false;
  let wait = 0;
  const asking = (async () => {
    while (!isOver) {
      const begin = performance.now();
      await ask(daemon, "GET", "/api/auth/session");
      wait = Math.max(wait, performance.now() - begin);
    }
  })();
  const body = await work().finally(() => (isOver = true));
  await asking;
  return { body, wait };
}
