import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import type { ApiClient } from "../support/api-client.ts";
import { startDaemon } from "../support/daemon.ts";
import type { Daemon } from "../support/daemon.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** Several slots of a rule of every minute, and longer than anything that pings. */
const HELD_MS = 200_000;
const MINUTE = 60_000;

let stack: AsyncDisposableStack;
let daemon: Daemon;
let api: ApiClient;
/** Texts of the notifications that came, and when. */
const told: { text: string; at: number }[] = [];

beforeAll(async () => {
  stack = new AsyncDisposableStack();
  const folder = stack.use(await createTemporaryFolder("held"));
  daemon = stack.use(await startDaemon(join(folder.path, "home")));
  api = await createApiClient(daemon);
});
afterAll(async () => {
  // A process that is held does not end.
  process.kill(daemon.pid, "SIGCONT");
  await stack.disposeAsync();
});

interface Run {
  id: string;
  trigger: string;
  result: string;
  slotAt: string;
  firedAt: string;
}

const runsOf = async (id: string) =>
  (
    await api.call<{ items: Run[] }>("GET", `/api/automations/${id}/runs`)
  ).body.items.reverse();

/** Waits until `count` runs of an automation have ended. Gives all. */
async function untilEnded(id: string, count: number): Promise<Run[]> {
  const ended = async () => {
    const runs = await runsOf(id);
    return runs.filter(({ result }) => result !== "running").length;
  };
  await expect
    .poll(ended, { timeout: 4 * MINUTE, interval: 250 })
    .toBeGreaterThanOrEqual(count);
  return await runsOf(id);
}

test("a daemon that is held for minutes makes up for each schedule once, without a burst", async () => {
  const target = createServer((request, response) => {
    let text = "";
    request.on("data", (part: Buffer) => (text += String(part)));
    request.on("end", () => {
      told.push({ text, at: Date.now() });
      response.end("ok");
    });
  }).listen(0, "127.0.0.1");
  await once(target, "listening");
  stack.defer(() => {
    target.closeAllConnections();
    target.close();
  });
  const { port } = target.address() as AddressInfo;
  const ids: string[] = [];
  for (const name of ["First", "Second", "Third"]) {
    const { body } = await api.call<{ automation: { id: string } }>(
      "POST",
      "/api/automations",
      {
        name,
        cli: "practice",
        prompt: `[[reply:${name}.]]`,
        notifyUrl: `http://127.0.0.1:${port}/`,
        schedules: [
          { frequency: "custom", cron: "* * * * *", timeZone: "UTC" },
        ],
      },
    );
    ids.push(body.automation.id);
  }
  await Promise.all(ids.map((id) => untilEnded(id, 1)));

  const heldAt = Date.now();
  process.kill(daemon.pid, "SIGSTOP");
  await sleep(HELD_MS);
  process.kill(daemon.pid, "SIGCONT");
  const backAt = Date.now();
  await Promise.all(
    ids.map(async (id) => {
      const before = (await runsOf(id)).filter(
        ({ firedAt }) => Date.parse(firedAt) < backAt,
      ).length;
      await untilEnded(id, before + 2);
    }),
  );

  let count = 0;
  for (const id of ids) {
    const runs = await runsOf(id);
    count += runs.filter(({ result }) => result !== "running").length;
    const slots = runs.map(({ slotAt }) => slotAt);
    expect(new Set(slots).size).toBe(slots.length);
    expect([...slots].sort()).toEqual(slots);
    // Of all that passed meanwhile, the last; unless the next one came before it was its turn, which stands for it too.
    const missed = runs.filter(
      ({ slotAt, firedAt }) =>
        Date.parse(firedAt) >= backAt &&
        Date.parse(slotAt) > heldAt &&
        Date.parse(slotAt) < backAt - MINUTE / 2,
    );
    expect(missed.length).toBeLessThanOrEqual(1);
    for (const { result } of runs) expect(result).not.toBe("failed");
  }
  await expect.poll(() => told.length).toBeGreaterThanOrEqual(count);
  const late = told.filter(({ at }) => at >= backAt).length;
  expect(late).toBeLessThanOrEqual(3 * 3);
  expect(daemon.log()).not.toMatch(/"level":"error"/);
});
