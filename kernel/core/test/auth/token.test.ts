import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  readEventStream,
  startTestKernel,
} from "../../../testing/src/index.ts";
import type { TestKernel } from "../../../testing/src/index.ts";
import { callControl, controlPath } from "@gantry/system/home/control";
import { cookieOf, whoAmI } from "../support/auth.ts";
import { sendRaw } from "../support/raw-http.ts";

const fileOf = (kernel: TestKernel) => join(kernel.home, "token");
const tokenOf = async (kernel: TestKernel) =>
  (await readFile(fileOf(kernel), "utf8")).trim();
const statusOf = async (kernel: TestKernel, authorization: string) =>
  (await whoAmI(kernel, { authorization })).status;

test("the user's own command line calls with the token in the home", async () => {
  await using kernel = await startTestKernel([]);
  const token = await tokenOf(kernel);
  expect(token).toMatch(/^[\w-]{43}$/);
  expect((await stat(fileOf(kernel))).mode & 0o777).toBe(0o600);
  expect(
    await whoAmI(kernel, { authorization: `Bearer ${token}` }),
  ).toMatchObject({
    status: 200,
    body: {
      kind: "token",
      session: {
        id: "ses_token",
        kind: "token",
        device: "Install token",
        current: true,
        expiresAt: null,
      },
    },
  });
  for (const header of [
    "",
    "Bearer",
    "Bearer ",
    `Basic ${token}`,
    `Bearer ${token}a`,
    `Bearer ${token.slice(1)}`,
    token,
    `Bearer ${token} x`,
    `Bearer ${"a".repeat(100_0)}`,
    "Bearer \u00e9",
  ])
    expect(await statusOf(kernel, header), header).toBe(401);
  expect(
    (await kernel.stranger.get(`/api/auth/session?token=${token}`)).status,
  ).toBe(401);
  await kernel.restart();
  expect(await tokenOf(kernel)).toBe(token);
});

test("two credentials in one request are none", async () => {
  await using kernel = await startTestKernel([]);
  const token = await tokenOf(kernel);
  const header = ["authorization", `Bearer ${token}`] as const;
  const ask = (headers: (readonly [string, string])[]) =>
    sendRaw(kernel.kernel.port, {
      target: "/api/auth/session",
      headers: [["host", `127.0.0.1:${kernel.kernel.port}`], ...headers],
    });
  expect((await ask([header])).status).toBe(200);
  expect((await ask([header, header])).status).toBe(401);
});

test("a new token ends the old one and what was opened with it, and leaves the browsers alone", async () => {
  await using kernel = await startTestKernel([]);
  const old = await tokenOf(kernel);
  const open = async (token: string) => {
    const stream = readEventStream(
      await kernel.stranger.open("/api/events?types=nothing.*", {
        headers: { authorization: `Bearer ${token}` },
      }),
    );
    await stream.next();
    return stream;
  };
  const { cookie } = await kernel.pairAs("Browser");
  const stream = await open(old);
  const rotated = await kernel.api.post<{ token: string }>(
    "/api/auth/token/rotate",
  );
  expect(rotated.headers.get("cache-control")).toBe("no-store");
  expect(rotated.body.token).toBe(await tokenOf(kernel));
  expect(await stream.next()).toBeUndefined();
  expect(await statusOf(kernel, `Bearer ${old}`)).toBe(401);
  expect((await whoAmI(kernel, { cookie })).status).toBe(200);

  const second = await open(rotated.body.token);
  const { token } = await callControl<{ token: string }>(
    controlPath(kernel.home),
    "rotate-token",
  );
  expect(await second.next()).toBeUndefined();
  expect(await statusOf(kernel, `Bearer ${rotated.body.token}`)).toBe(401);
  expect(await statusOf(kernel, `Bearer ${token}`)).toBe(200);
  await kernel.restart();
  expect(await statusOf(kernel, `Bearer ${token}`)).toBe(200);
});

test("a new token with all sessions ends every browser, and the caller gets another cookie", async () => {
  await using kernel = await startTestKernel([]);
  const [caller, other] = [
    await kernel.pairAs("Caller"),
    await kernel.pairAs("Other"),
  ];
  const stream = readEventStream(
    await other.client.open("/api/events?types=nothing.*"),
  );
  await stream.next();
  const answer = await caller.client.post("/api/auth/token/rotate", {
    sessions: true,
  });
  expect(await stream.next()).toBeUndefined();
  for (const { cookie } of [caller, other])
    expect((await whoAmI(kernel, { cookie })).status).toBe(401);
  const fresh = cookieOf(answer);
  expect(await whoAmI(kernel, { cookie: fresh })).toMatchObject({
    status: 200,
    body: { session: { device: "Caller" } },
  });
  await kernel.restart();
  expect((await whoAmI(kernel, { cookie: caller.cookie })).status).toBe(401);
  expect((await whoAmI(kernel, { cookie: fresh })).status).toBe(200);
});

test("with all sessions by the token itself no client gets a cookie", async () => {
  await using kernel = await startTestKernel([]);
  const { cookie } = await kernel.pairAs("Browser");
  const authorization = `Bearer ${await tokenOf(kernel)}`;
  const answer = await kernel.stranger.post(
    "/api/auth/token/rotate",
    { sessions: true },
    { authorization, origin: kernel.url },
  );
  expect(answer.status).toBe(200);
  expect(answer.headers.get("set-cookie")).toBeNull();
  expect((await whoAmI(kernel, { cookie })).status).toBe(401);
});

test("logging out with the token leaves it as it is", async () => {
  await using kernel = await startTestKernel([]);
  const authorization = `Bearer ${await tokenOf(kernel)}`;
  expect(
    (
      await kernel.stranger.post(
        "/api/auth/logout",
        {},
        { authorization, origin: kernel.url },
      )
    ).status,
  ).toBe(200);
  expect(await statusOf(kernel, authorization)).toBe(200);
});
