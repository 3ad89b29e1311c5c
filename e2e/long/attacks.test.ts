import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { send } from "../support/api-client.ts";
import { runGantry } from "../support/daemon.ts";
import { createCode, redeem } from "../attacks/world/pair.ts";
import { residentBytes } from "../attacks/world/processes.ts";
import { createWorld } from "../attacks/world/world.ts";
import type { World } from "../attacks/world/world.ts";
import { openTimed, timeInTurns, welch } from "./timing.ts";

const MIB = 1024 * 1024;
const SLOW_CLIENTS = 500;
const IDLE_CLIENTS = 200;
const GUESSES = 10_000;
const GUESSERS = 50;
const CALLS_A_SECOND = 1_000;
const FLOOD_SECONDS = 30;
const CALLERS = 64;
const SAMPLES = 20_000;
/** Beyond this, two means differ by more than chance with a probability of one in 100,000. */
const SURELY_DIFFERENT = 4.5;

test(`A78: ${SLOW_CLIENTS} clients that send a byte every two seconds keep no other client out`, async () => {
  await using world = await createWorld("slow");
  const before = residentBytes(world.daemon.pid);
  const own = `Host: ${world.host}\r\n`;
  const ends = [
    ...Array.from({ length: SLOW_CLIENTS }, () =>
      beSlow(world, `GET / HTTP/1.1\r\n${own}X-Slow: `, 2_000),
    ),
    ...Array.from({ length: IDLE_CLIENTS }, () =>
      beSlow(world, `GET /pair HTTP/1.1\r\n${own}\r\n`, undefined),
    ),
  ];
  let isOver = false;
  const waiting = Promise.all(ends).then((all) => {
    isOver = true;
    return all;
  });
  const times: number[] = [];
  while (!isOver) {
    times.push(await timeOf(() => readSession(world)));
    await delay(20);
  }
  const seconds = await waiting;
  expect(Math.max(...seconds.slice(0, SLOW_CLIENTS))).toBeLessThan(15);
  expect(Math.max(...seconds.slice(SLOW_CLIENTS))).toBeLessThan(10);
  expect(percentile(times, 0.99)).toBeLessThan(300);
  expect(residentBytes(world.daemon.pid) - before).toBeLessThan(64 * MIB);
});

test(`A49, A56: ${GUESSES} guesses open nothing, and the owner pairs all the while`, async () => {
  await using world = await createWorld("guesses");
  const { api, daemon, secrets } = world;
  const { code } = await createCode(api, secrets);
  const counts = new Map<number, number>();
  let left = GUESSES;
  const guessing = Promise.all(
    Array.from({ length: GUESSERS }, async (_, guesser) => {
      while (left-- > 0) {
        const wrong =
          left % 2 === 0
            ? `${code.slice(0, 4)}${String(left).padStart(8, "0")}`
            : String(left).padStart(12, "Z");
        const headers = { "x-forwarded-for": `10.0.${guesser}.${left % 256}` };
        const { status } = await redeem(
          daemon,
          { code: wrong, device: "Guesser" },
          headers,
        );
        counts.set(status, (counts.get(status) ?? 0) + 1);
      }
    }),
  );
  // The command line is never kept waiting.
  const { code: exit } = await runGantry("pair", "--home", daemon.home);
  expect(exit).toBe(0);
  await guessing;
  expect([...counts.keys()].sort()).toEqual([401, 429]);
  const fresh = await createCode(api, secrets);
  await expect
    .poll(
      async () =>
        (await redeem(daemon, { code: fresh.code, device: "Owner" })).status,
      { timeout: 10_000, interval: 500 },
    )
    .toBe(200);
  const { body } = await api.call<{ items: { device: string }[] }>(
    "GET",
    "/api/auth/sessions",
  );
  expect(body.items.map(({ device }) => device)).not.toContain("Guesser");
});

test(`A70: a webhook that is called ${CALLS_A_SECOND} times a second starts what its cap allows`, async () => {
  await using world = await createWorld("flood");
  const { api, port } = world;
  const { id, secret, target } = world.victims.takeHook();
  const limits = { maxRunsPerHour: 3 };
  await api.call("PATCH", `/api/automations/${id}`, { limits });
  const request = `POST ${target} HTTP/1.1\r\nHost: ${world.host}\r\nAuthorization: Bearer ${secret}\r\nContent-Length: 1\r\n\r\nx`;
  const statuses = new Map<number, number>();
  let calls = 0;
  const start = performance.now();
  const elapsed = () => (performance.now() - start) / 1_000;
  const callers = Array.from({ length: CALLERS }, async () => {
    let connection = await openTimed(port);
    while (elapsed() < FLOOD_SECONDS) {
      const ahead = ++calls / CALLS_A_SECOND - elapsed();
      if (ahead > 0) await delay(ahead * 1_000);
      const { status, isOpen } = await connection.exchange(request);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (!isOpen) connection = await openTimed(port);
    }
    connection.close();
  });
  const times: number[] = [];
  while (elapsed() < FLOOD_SECONDS) {
    times.push(await timeOf(() => api.call("GET", "/api/agents")));
    await delay(50);
  }
  await Promise.all(callers);
  const seconds = elapsed();
  expect([...statuses.keys()].sort()).toEqual([200, 429]);
  const { body } = await api.call<{
    items: { startedAt: string | null }[];
  }>("GET", `/api/automations/${id}/runs?limit=500`);
  const started = body.items.filter(({ startedAt }) => startedAt !== null);
  console.log(
    JSON.stringify({
      callsASecond: Math.round(calls / seconds),
      rows: body.items.length,
      started: started.length,
      p99Ms: percentile(times, 0.99),
    }),
  );
  expect(started.length).toBeLessThanOrEqual(3);
  // Twenty at once, and then one a second.
  expect(body.items.length).toBeLessThanOrEqual(3 + 20 + seconds + 1);
  expect(percentile(times, 0.99)).toBeLessThan(300);
});

test("A58, A62: the time of a refusal tells nothing of how near a secret was", async () => {
  await using world = await createWorld("timing");
  const { cookie, token, port, host } = world;
  const value = cookie.split("=")[1] ?? "";
  const wrongEnd = (secret: string) =>
    secret.slice(0, -1) + (secret.endsWith("A") ? "B" : "A");
  const get = (header: string) =>
    `GET /api/auth/session HTTP/1.1\r\nHost: ${host}\r\n${header}\r\n\r\n`;
  const fire = (id: string) =>
    `POST /api/automations/${id}/fire HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${"x".repeat(43)}\r\nContent-Length: 0\r\n\r\n`;
  const pairs: Record<string, [string, string]> = {
    cookie: [
      get(`Cookie: gantry_session=${wrongEnd(value)}`),
      get(`Cookie: gantry_session=${"x".repeat(43)}`),
    ],
    token: [
      get(`Authorization: Bearer ${wrongEnd(token)}`),
      get(`Authorization: Bearer ${"x".repeat(43)}`),
    ],
    webhook: [fire(world.victims.takeHook().id), fire(`aut_${"a".repeat(24)}`)],
  };
  for (const [name, [near, far]] of Object.entries(pairs)) {
    const times = await timeInTurns(port, [near, far], SAMPLES);
    const t = welch(times[0]!, times[1]!);
    console.log(`${name}: t = ${t.toFixed(2)}`);
    expect(Math.abs(t), name).toBeLessThan(SURELY_DIFFERENT);
  }
});

/** Sends the beginning of a request, then a byte now and then. Gives the seconds until it was cut off. */
function beSlow(
  { port }: World,
  head: string,
  everyMs: number | undefined,
): Promise<number> {
  const start = performance.now();
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {}).resume();
  socket.write(head);
  const timer =
    everyMs === undefined
      ? undefined
      : setInterval(() => socket.writable && socket.write("x"), everyMs);
  return new Promise((resolve) =>
    socket.once("close", () => {
      clearInterval(timer);
      resolve((performance.now() - start) / 1_000);
    }),
  );
}

async function readSession({ daemon, cookie }: World): Promise<void> {
  const { status } = await send(
    daemon.base,
    "GET",
    "/api/auth/session",
    undefined,
    { cookie },
  );
  expect(status).toBe(200);
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round(sorted[Math.floor(sorted.length * part)] ?? Number.NaN);
}
