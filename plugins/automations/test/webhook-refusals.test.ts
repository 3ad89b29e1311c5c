import { describe, expect, test } from "vitest";
import { sendRaw } from "./support/raw-calls.ts";
import { startBench } from "./support/start.ts";

const WRONG = "x".repeat(43);
const UNKNOWN = `aut_${"b".repeat(24)}`;
const bytes = (text: string) => new TextEncoder().encode(text);

describe("a call without it", () => {
  test("gets the same answer for a wrong secret, an unknown id, a webhook that is off and an odd id", async () => {
    await using bench = await startBench();
    const { automation } = await bench.createHook();
    const off = await bench.create();
    const hooked = await bench.createHook({ enabled: false });
    const ids = [
      automation.id,
      UNKNOWN,
      off.id,
      hooked.automation.id,
      "aut_x",
      "..%2fx",
      "%00",
      "a".repeat(5000),
    ];
    const answers = await Promise.all(ids.map((id) => bench.fire(id, WRONG)));
    const known = answers[0]!;
    expect(known).toMatchObject({
      status: 401,
      body: { code: "WEBHOOK_UNAUTHORIZED" },
    });
    for (const { status, body, headers } of answers) {
      expect(status).toBe(401);
      expect(body).toEqual(known.body);
      expect([...headers.keys()]).toEqual([...known.headers.keys()]);
    }
    expect(await bench.runs(automation.id)).toEqual([]);
  });

  test.each([
    ["no header", {}],
    ["an empty header", { authorization: "" }],
    ["another scheme", { authorization: "Basic SECRET" }],
    ["the bare secret", { authorization: "SECRET" }],
    ["a cookie", { cookie: "gantry_session=SECRET" }],
    ["another header", { "x-secret": "SECRET" }],
    ["half the secret", { authorization: "Bearer HALF" }],
    ["the secret and more", { authorization: "Bearer SECRETx" }],
    ["its hash", { authorization: "Bearer HASH" }],
  ])("%s is refused", async (_, template) => {
    await using bench = await startBench();
    const { automation, secret } = await bench.createHook();
    const { createHash } = await import("node:crypto");
    const fill = (text: string) =>
      text
        .replace("SECRET", secret)
        .replace("HALF", secret.slice(0, 20))
        .replace("HASH", createHash("sha256").update(secret).digest("hex"));
    const headers = Object.fromEntries(
      Object.entries(template).map(([name, value]) => [name, fill(value)]),
    );
    const answer = await bench.kernel.stranger.request(
      "POST",
      `/api/automations/${automation.id}/fire`,
      { headers },
    );
    expect(answer.status).toBe(401);
    expect(await bench.runs(automation.id)).toEqual([]);
  });

  test("a session does not stand for the secret", async () => {
    await using bench = await startBench();
    const { automation } = await bench.createHook();
    const path = `/api/automations/${automation.id}/fire`;
    expect((await bench.kernel.api.post(path)).status).toBe(401);
  });

  test("a secret in the address is refused, and with the right header too", async () => {
    await using bench = await startBench();
    const { automation, secret } = await bench.createHook();
    const path = `/api/automations/${automation.id}/fire`;
    for (const name of ["secret", "token", "access_token", "key"]) {
      const query = { [name]: secret };
      const without = await bench.kernel.stranger.request("POST", path, {
        query,
      });
      expect(without.status).toBe(401);
      const headers = { authorization: `Bearer ${secret}` };
      const both = await bench.kernel.stranger.request("POST", path, {
        query,
        headers,
      });
      expect(both).toMatchObject({
        status: 400,
        body: { code: "WEBHOOK_SECRET_IN_QUERY" },
      });
    }
    const headers = { authorization: `Bearer ${secret}` };
    for (const query of [{ hook: secret }, { [secret]: "" }]) {
      const named = await bench.kernel.stranger.request("POST", path, {
        query,
        headers,
      });
      expect(named).toMatchObject({
        status: 400,
        body: { code: "WEBHOOK_SECRET_IN_QUERY" },
      });
    }
    const other = await bench.kernel.stranger.request("POST", path, {
      query: { x: 1 },
      headers,
    });
    expect(other.status).toBe(400);
    expect(await bench.runs(automation.id)).toEqual([]);
    expect(JSON.stringify(bench.kernel.log)).not.toContain(secret);
  });

  test("two Authorization headers are refused", async () => {
    await using bench = await startBench();
    const { automation, secret } = await bench.createHook();
    const status = await sendRaw(bench.kernel.url, [
      `POST /api/automations/${automation.id}/fire HTTP/1.1`,
      `Host: ${new URL(bench.kernel.url).host}`,
      `Authorization: Bearer ${secret}`,
      `Authorization: Bearer ${secret}`,
      "Content-Length: 0",
    ]);
    expect(status).toBe(400);
    expect(await bench.runs(automation.id)).toEqual([]);
  });

  test("a large body is not read", async () => {
    await using bench = await startBench();
    const { automation } = await bench.createHook();
    const status = await sendRaw(bench.kernel.url, [
      `POST /api/automations/${automation.id}/fire HTTP/1.1`,
      `Host: ${new URL(bench.kernel.url).host}`,
      `Authorization: Bearer ${WRONG}`,
      "Content-Length: 10000000000",
    ]);
    expect(status).toBe(401);
  });

  test("other methods: nothing without the secret, 405 with it", async () => {
    await using bench = await startBench();
    const { automation, secret } = await bench.createHook();
    const path = `/api/automations/${automation.id}/fire`;
    for (const method of ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]) {
      const ask = (authorization: string) =>
        bench.kernel.stranger.request(method, path, {
          headers: { authorization },
        });
      expect((await ask(`Bearer ${WRONG}`)).status).toBe(401);
      const allowed = await ask(`Bearer ${secret}`);
      expect(allowed.status).toBe(405);
      expect(allowed.headers.get("allow")).toBe("POST");
    }
    expect(await bench.runs(automation.id)).toEqual([]);
  });
});

describe("guessing", () => {
  test.each(["known", "unknown"])(
    "at a %s id: ten tries a minute, then 429; the right secret still passes",
    async (kind) => {
      await using bench = await startBench();
      bench.agents.answer = () => ({});
      const { automation, secret } = await bench.createHook();
      const id = kind === "known" ? automation.id : UNKNOWN;
      for (let count = 0; count < 10; count++) {
        expect((await bench.fire(id, WRONG + count)).status).toBe(401);
        await bench.kernel.clock.advance(1_000);
      }
      const refused = await bench.fire(id, WRONG);
      expect(refused).toMatchObject({
        status: 429,
        body: { code: "WEBHOOK_TOO_MANY_TRIES" },
      });
      expect(refused.headers.get("retry-after")).toBe("50");
      expect((await bench.fire(automation.id, secret)).status).toBe(200);
      await bench.kernel.clock.advance(50_000);
      expect((await bench.fire(id, WRONG)).status).toBe(401);
      expect((await bench.fire(id, WRONG)).status).toBe(429);
    },
  );

  test("at one id does not touch another", async () => {
    await using bench = await startBench();
    const first = await bench.createHook();
    const second = await bench.createHook();
    for (let count = 0; count < 12; count++)
      await bench.fire(first.automation.id, WRONG);
    expect((await bench.fire(second.automation.id, WRONG)).status).toBe(401);
  });
});

describe("a storm of calls", () => {
  test("starts at most the capped runs, and does not fill the store", async () => {
    await using bench = await startBench();
    bench.agents.answer = () => ({});
    const { automation, secret } = await bench.createHook({
      limits: { maxRunsPerHour: 3 },
    });
    const statuses = new Map<number, number>();
    for (let second = 0; second < 10; second++) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, () =>
          bench.fire(automation.id, secret, bytes("x")),
        ),
      );
      for (const { status } of answers)
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      await bench.kernel.clock.advance(1_000);
    }
    const runs = await bench.runs(automation.id);
    expect(
      runs.filter(({ result }) => result !== "skipped").length,
    ).toBeLessThanOrEqual(3);
    expect(runs.length).toBeLessThanOrEqual(3 + 20 + 10);
    expect([...statuses.keys()].sort()).toEqual([200, 429]);
    expect(statuses.get(200)).toBe(runs.length);
  });
});
