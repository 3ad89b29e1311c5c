import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import type { ApiClient } from "../support/api-client.ts";
import { startDaemon } from "../support/daemon.ts";
import type { Daemon } from "../support/daemon.ts";
import { openStreamClients } from "../support/stream-clients.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const CLIENTS = 1000;
const EVENTS_A_SECOND = 20;
const SECONDS = 20;
const KIB = 1024;

let stack: AsyncDisposableStack;
let daemon: Daemon;
let api: ApiClient;
let agentId: string;

beforeAll(async () => {
  stack = new AsyncDisposableStack();
  const folder = stack.use(await createTemporaryFolder("event-clients"));
  daemon = stack.use(await startDaemon(join(folder.path, "home")));
  api = await createApiClient(daemon);
  const { body } = await api.call<{ id: string }>("POST", "/api/agents", {
    name: "Renamed",
    cli: "practice",
  });
  agentId = body.id;
});
afterAll(() => stack.disposeAsync());

test(`${CLIENTS} clients get every event, soon, and cost little`, async () => {
  await changeFor(1);
  const before = await memory(daemon.pid);
  const clients = await openStreamClients(daemon, CLIENTS);
  // A thousand handshakes at once are not what is measured.
  await expect.poll(async () => (await rename("Quiet")) < 50).toBe(true);
  const answers = await changeFor(SECONDS);
  const wanted = EVENTS_A_SECOND * SECONDS;
  await expect
    .poll(() => clients.every(({ ids }) => ids.length >= wanted), {
      timeout: 10_000,
    })
    .toBe(true);
  const bytesEach = ((await memory(daemon.pid)) - before) / CLIENTS;
  const delays = clients.flatMap((client) => client.delays);
  const figures = {
    p99DeliveryMs: percentile99(delays),
    p99AnswerMs: percentile99(answers),
    kibEach: Math.round(bytesEach / KIB),
  };
  console.log(JSON.stringify(figures));
  const [first] = clients;
  for (const { ids } of clients) expect(ids).toEqual(first!.ids);
  expect(figures.p99DeliveryMs).toBeLessThan(500);
  expect(figures.p99AnswerMs).toBeLessThan(300);
  expect(figures.kibEach).toBeLessThan(200);
  for (const client of clients) client.close();
}, 120_000);

/** Makes events at an even pace, and gives how long each request took. */
async function changeFor(seconds: number): Promise<number[]> {
  const started = performance.now();
  const answers: Promise<number>[] = [];
  for (let number = 0; number < EVENTS_A_SECOND * seconds; number++) {
    const due = started + (number * 1000) / EVENTS_A_SECOND;
    await delay(Math.max(0, due - performance.now()));
    answers.push(rename(`Renamed ${number}`));
  }
  return Promise.all(answers);
}

async function rename(name: string): Promise<number> {
  const started = performance.now();
  const { status } = await api.call("PATCH", `/api/agents/${agentId}`, {
    name,
  });
  expect(status).toBe(200);
  return performance.now() - started;
}

async function memory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) * KIB;
}

function percentile99(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * 0.99) - 1]!;
}
