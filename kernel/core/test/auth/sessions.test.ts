import { expect, test, vi } from "vitest";
import {
  readEventStream,
  startTestKernel,
} from "../../../testing/src/index.ts";
import type { TestKernel } from "../../../testing/src/index.ts";
import { SessionCreated, SessionEnded } from "../../src/auth/sessions.ts";
import { cookieOf, redeem, whoAmI } from "../support/auth.ts";
import type { SessionView } from "../support/auth.ts";
import { createProbe } from "../support/probe.ts";
import { sendRaw } from "../support/raw-http.ts";
import { openSocket } from "../support/web-socket.ts";

const DAY = 24 * 60 * 60 * 1000;

/** Lets time pass while the machine sleeps, so that none of the timers in between needs to run. */
const sleep = (kernel: TestKernel, ms: number) =>
  kernel.clock.jumpWall(kernel.clock.now() + ms);

const statusOf = async (kernel: TestKernel, cookie: string) =>
  (await whoAmI(kernel, { cookie })).status;
const listOf = async (kernel: TestKernel) =>
  (await kernel.api.get<{ items: SessionView[] }>("/api/auth/sessions")).body
    .items;

test("who is calling, and who may call, is shown without any secret", async () => {
  await using kernel = await startTestKernel([]);
  const pairing = await redeem(kernel, kernel.kernel.pair().code, {
    device: "Phone <b>",
  });
  const cookie = cookieOf(pairing);
  const { body } = await whoAmI(kernel, { cookie });
  const session = {
    id: expect.stringMatching(/^ses_[a-z2-7]{24}$/) as string,
    kind: "browser",
    device: "Phone <b>",
    address: "127.0.0.1",
    createdAt: "2026-03-02T12:00:00.000Z",
    lastSeenAt: "2026-03-02T12:00:00.000Z",
    expiresAt: "2027-03-02T12:00:00.000Z",
    current: true,
    online: false,
  };
  expect(body).toEqual({ mode: "all", kind: "browser", session });
  const list = await listOf(kernel);
  expect(list).toHaveLength(2);
  expect(list).toContainEqual({ ...session, current: false });
  expect(kernel.events.all(SessionCreated).at(-1)).toMatchObject({
    subject: body.session.id,
    data: { device: "Phone <b>", address: "127.0.0.1" },
  });
});

test.each([
  [
    "two of them, the right one first",
    (right: string) => `${right}; gantry_session=${"a".repeat(43)}`,
  ],
  [
    "two of them, the right one last",
    (right: string) => `gantry_session=${"a".repeat(43)}; ${right}`,
  ],
  ["the right one twice", (right: string) => `${right}; ${right}`],
  ["none", () => ""],
  ["an empty one", () => "gantry_session="],
  ["one in quotes", (right: string) => `gantry_session="${right.slice(15)}"`],
  ["one letter more", (right: string) => `${right}a`],
  ["one letter less", (right: string) => right.slice(0, -1)],
  [
    "another name",
    (right: string) => right.replace("gantry_session", "Gantry_Session"),
  ],
  ["a prefixed name", (right: string) => `__Host-${right}`],
  ["an encoded one", (right: string) => right.replace("=", "=%20")],
  ["8 KB", () => `gantry_session=${"a".repeat(8000)}`],
  ["odd letters", () => "gantry_session=é\u0001"],
])("a cookie header with %s belongs to no session", async (_, make) => {
  await using kernel = await startTestKernel([]);
  const { cookie } = await kernel.pairAs("Me");
  const given = Buffer.from(make(cookie), "utf8").toString("latin1");
  const answer = await whoAmI(
    kernel,
    given.includes("\u0001")
      ? { cookie: "gantry_session=%01" }
      : { cookie: given },
  );
  expect(answer).toMatchObject({
    status: 401,
    body: { code: "AUTH_NOT_PAIRED" },
  });
  expect(await statusOf(kernel, `other=1; ${cookie}; more=2`)).toBe(200);
});

test("two cookie headers are read as one", async () => {
  await using kernel = await startTestKernel([]);
  const { cookie } = await kernel.pairAs("Me");
  const ask = (...cookies: string[]) =>
    sendRaw(kernel.kernel.port, {
      target: "/api/auth/session",
      headers: [
        ["host", `127.0.0.1:${kernel.kernel.port}`],
        ...cookies.map((value) => ["cookie", value] as const),
      ],
    });
  expect((await ask("a=1", cookie)).status).toBe(200);
  expect((await ask(cookie, cookie)).status).toBe(401);
});

test("a session ends after 30 days without use, and after a year however much it is used", async () => {
  await using kernel = await startTestKernel([]);
  const [idle, used] = [
    await kernel.pairAs("Idle"),
    await kernel.pairAs("Used"),
  ];
  sleep(kernel, 30 * DAY - 1);
  const late = await kernel.pairAs("Late");
  expect(await statusOf(kernel, used.cookie)).toBe(200);
  sleep(kernel, 1);
  expect(await statusOf(kernel, idle.cookie)).toBe(401);
  for (let day = 59; day < 365; day += 29) {
    sleep(kernel, 29 * DAY);
    expect(await statusOf(kernel, used.cookie), `day ${day}`).toBe(200);
  }
  sleep(kernel, 29 * DAY);
  expect(await statusOf(kernel, used.cookie)).toBe(401);
  expect(await statusOf(kernel, late.cookie)).toBe(401);
});

test("neither a restart nor a clock that is set back revives what has expired", async () => {
  await using kernel = await startTestKernel([]);
  const { cookie } = await kernel.pairAs("Old");
  sleep(kernel, 30 * DAY + 1000);
  expect(await statusOf(kernel, cookie)).toBe(401);
  kernel.clock.jumpWall("2026-03-03T12:00:00.000Z");
  expect(await statusOf(kernel, cookie)).toBe(401);
  await kernel.restart();
  expect(await statusOf(kernel, cookie)).toBe(401);
  const { core } = kernel.kernel.foundation;
  expect(JSON.stringify(await core.engine.keys("auth:session"))).not.toContain(
    "Old",
  );
});

test("a clock that is set back ends no session either", async () => {
  await using kernel = await startTestKernel([]);
  const { cookie } = await kernel.pairAs("Me");
  kernel.clock.jumpWall("2020-01-01T00:00:00.000Z");
  expect(await statusOf(kernel, cookie)).toBe(200);
  await kernel.restart();
  expect(await statusOf(kernel, cookie)).toBe(200);
});

test("when a device was last seen is written once a minute at most", async () => {
  await using kernel = await startTestKernel([]);
  const { cookie, sessionId } = await kernel.pairAs("Me");
  const { core } = kernel.kernel.foundation;
  const commits = vi.spyOn(core, "commit");
  const seen = async () =>
    (await listOf(kernel)).find(({ id }) => id === sessionId)?.lastSeenAt;
  for (let n = 0; n < 20; n++) await statusOf(kernel, cookie);
  expect(commits).not.toHaveBeenCalled();
  await kernel.clock.advance(60_000);
  await Promise.all(Array.from({ length: 20 }, () => statusOf(kernel, cookie)));
  expect(await seen()).toBe("2026-03-02T12:01:00.000Z");
  // One for this device and one for the caller that asked for the list.
  expect(commits).toHaveBeenCalledTimes(2);
  await kernel.restart();
  expect(await seen()).toBe("2026-03-02T12:01:00.000Z");
});

test("of more than twenty devices those that were not seen for longest go", async () => {
  await using kernel = await startTestKernel([]);
  const cookies: string[] = [];
  for (let n = 0; n < 22; n++) {
    cookies.push((await kernel.pairAs(`Device ${n}`)).cookie);
    await kernel.clock.advance(60_000);
    // The first one is in use all the time.
    expect(await statusOf(kernel, cookies[0] ?? "")).toBe(200);
  }
  const statuses = [];
  for (const cookie of cookies) statuses.push(await statusOf(kernel, cookie));
  expect(statuses.filter((status) => status === 200)).toHaveLength(20);
  expect(statuses.slice(0, 4)).toEqual([200, 401, 401, 200]);
});

/** A kernel with a stream and a socket open by a device. */
async function startOnline() {
  const probe = createProbe({
    setup: (ctx) =>
      void ctx.socket({
        path: "/api/probe/socket",
        summary: "x",
        access: "session",
      }),
  });
  const kernel = await startTestKernel([probe]);
  const device = await kernel.pairAs("Online");
  const stream = readEventStream(
    await device.client.open("/api/events?types=nothing.*"),
  );
  await stream.next();
  const socket = await openSocket(`${kernel.url}/api/probe/socket`, {
    cookie: device.cookie,
    origin: kernel.url,
  });
  return Object.assign(kernel, { device, stream, socket });
}

test("a session that is revoked is dead at once, with all that it has open", async () => {
  await using kernel = await startOnline();
  const { device, stream, socket } = kernel;
  expect(
    (await listOf(kernel)).find(({ id }) => id === device.sessionId),
  ).toMatchObject({ online: true });
  // The clock stands still: nothing here waits for a timer.
  expect(
    await kernel.api.delete(`/api/auth/sessions/${device.sessionId}`),
  ).toMatchObject({ status: 200, body: { ok: true } });
  expect(await stream.next()).toBeUndefined();
  expect(await socket.closed).toMatchObject({ code: 4401 });
  expect(await statusOf(kernel, device.cookie)).toBe(401);
  expect(kernel.kernel.http.connections.size).toBe(0);
  expect(kernel.events.all(SessionEnded)).toMatchObject([
    { subject: device.sessionId, data: { device: "Online" } },
  ]);
  await kernel.restart();
  expect(await statusOf(kernel, device.cookie)).toBe(401);
});

test("a client that revokes itself or logs out loses its cookie", async () => {
  await using kernel = await startTestKernel([]);
  const [first, second] = [
    await kernel.pairAs("First"),
    await kernel.pairAs("Second"),
  ];
  const cleared =
    "gantry_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0";
  const own = await first.client.delete(
    `/api/auth/sessions/${first.sessionId}`,
  );
  expect(own.headers.get("set-cookie")).toBe(cleared);
  const logout = await second.client.post("/api/auth/logout");
  expect(logout).toMatchObject({ status: 200, body: { ok: true } });
  expect(logout.headers.get("set-cookie")).toBe(cleared);
  for (const { cookie } of [first, second])
    expect(await statusOf(kernel, cookie)).toBe(401);
  const other = await kernel.pairAs("Other");
  const revoked = await kernel.api.delete(
    `/api/auth/sessions/${other.sessionId}`,
  );
  expect(revoked.headers.get("set-cookie")).toBeNull();
});

test("a session that is not there is unknown, whatever its id looks like", async () => {
  await using kernel = await startTestKernel([]);
  const { core } = kernel.kernel.foundation;
  const [stored] = await core.engine.keys("auth:session:");
  const hash = (
    (await core.engine.get(stored ?? "")) as { data: { tokenHash: string } }
  ).data.tokenHash;
  for (const id of [
    "ses_aaaaaaaaaaaaaaaaaaaaaaaa",
    hash,
    "ses_token",
    "ses_loopback",
    "x",
    "..%2f",
  ])
    expect(
      await kernel.api.delete(`/api/auth/sessions/${id}`),
      id,
    ).toMatchObject({ status: 404, body: { code: "SESSION_NOT_FOUND" } });
});

test("a device that pairs again gets another session", async () => {
  await using kernel = await startTestKernel([]);
  const first = cookieOf(await redeem(kernel, kernel.kernel.pair().code));
  const again = await redeem(kernel, kernel.kernel.pair().code, {
    cookie: first,
  });
  expect(cookieOf(again)).not.toBe(first);
  expect(await statusOf(kernel, cookieOf(again))).toBe(200);
});

test("what a session has open ends soon after the session has run out, though no request asks for it", async () => {
  await using kernel = await startTestKernel([]);
  const { client } = await kernel.pairAs("Left open");
  const stream = readEventStream(await client.open("/api/events"));
  expect((await stream.next())?.event).toBe("hello");
  const year = 366 * 24 * 60 * 60 * 1000;
  kernel.clock.jumpWall(kernel.clock.now() + year);
  await kernel.clock.advance(60 * 60 * 1000);
  await stream.until(({ event }) => event === "bye").catch(() => undefined);
  expect(await stream.next()).toBeUndefined();
  expect(kernel.kernel.http.connections.size).toBe(0);
});
