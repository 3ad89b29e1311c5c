import { describe, expect, test, vi } from "vitest";
import { defineErrors } from "@gantry/plugin";
import type { CallView } from "../src/wire/call.ts";
import type { RunRecord } from "../src/wire/run.ts";
import { nothingOf } from "./support/nothing-of.ts";
import { startBench } from "./support/start.ts";
import type { Bench } from "./support/start.ts";

const SECOND = 1000;
const DAY = 24 * 60 * 60 * SECOND;
const { STORAGE_FULL } = defineErrors({
  STORAGE_FULL: { status: 507, title: "Full", detail: "The disk is full." },
});
const bytes = (text: string) => new TextEncoder().encode(text);

async function callsOf(bench: Bench, id: string): Promise<CallView[]> {
  const { body } = await bench.kernel.api.get<{ items: CallView[] }>(
    `/api/automations/${id}/calls`,
    { limit: 500 },
  );
  return body.items;
}

/** What the calls of an automation came to, newest first, as soon as it is so. */
function expectCalls(bench: Bench, id: string, expected: object[]) {
  return vi.waitFor(async () =>
    expect(await callsOf(bench, id)).toMatchObject(expected),
  );
}

const redeliver = (bench: Bench, id: string, callId: string) =>
  bench.kernel.api.post<{ run: RunRecord; code?: string }>(
    `/api/automations/${id}/calls/${callId}/redeliver`,
  );

describe("each call of a webhook is listed", () => {
  test("that set off a run, was skipped, was too fast or was refused; never with the secret", async () => {
    await using bench = await startBench();
    const { automation, secret } = await bench.createHook({
      limits: { maxRunsPerDay: 1 },
    });
    const { id } = automation;
    const { body } = await bench.fire(id, secret, bytes("Hello"));
    for (let call = 0; call < 21; call++) await bench.fire(id, secret);
    await bench.fire(id, "wrong");
    await bench.kernel.api.patch(`/api/automations/${id}`, { enabled: false });
    await bench.kernel.clock.advance(SECOND);
    await bench.fire(id, secret);
    await expectCalls(bench, id, [
      { verdict: "refused", code: "AUTOMATION_OFF", runId: null },
      { verdict: "refused", code: "WEBHOOK_UNAUTHORIZED", bytes: null },
      { verdict: "limited", code: "WEBHOOK_TOO_MANY_CALLS", bytes: 0 },
      ...Array<object>(20).fill({ verdict: "skipped", code: "busy" }),
      {
        verdict: "accepted",
        code: null,
        bytes: 5,
        address: "127.0.0.1",
        runId: body.run.id,
        count: 1,
      },
    ]);
    const text = JSON.stringify(await callsOf(bench, id));
    expect(text).not.toContain(secret);
    const { engine } = bench.kernel.kernel.foundation.core;
    for (const key of await engine.keys("automations:"))
      expect(JSON.stringify(await engine.get(key))).not.toContain(secret);
  });

  test("without anything of its headers but where it came from", async () => {
    await using bench = await startBench();
    const { automation, secret } = await bench.createHook();
    const canary = "canary-in-a-header";
    await bench.fire(automation.id, secret, bytes("x"), {
      "user-agent": canary,
      "x-api-key": canary,
      "x-forwarded-for": canary,
      cookie: `gantry_session=${canary}`,
      referer: `https://${canary}/`,
    });
    await expectCalls(bench, automation.id, [{ address: "127.0.0.1" }]);
    const { engine } = bench.kernel.kernel.foundation.core;
    for (const key of await engine.keys(""))
      expect(JSON.stringify(await engine.get(key))).not.toContain(canary);
  });

  test("that had a body which was not taken, or a key that was answered before", async () => {
    await using bench = await startBench();
    const { automation, secret } = await bench.createHook();
    const { id } = automation;
    const key = { "idempotency-key": "once-and-for-all" };
    await bench.fire(id, secret, bytes("x"), key);
    await bench.fire(id, secret, bytes("x"), key);
    await bench.fire(id, secret, new Uint8Array(70_000));
    await expectCalls(bench, id, [
      { verdict: "refused", code: "BODY_TOO_LARGE" },
      { verdict: "repeated", code: null, runId: null },
      { verdict: "accepted" },
    ]);
  });

  test("that was refused before it could be read, with the way out in words", async () => {
    await using bench = await startBench();
    const { automation, secret } = await bench.createHook();
    const { id } = automation;
    const path = `/api/automations/${id}/fire`;
    const right = { authorization: `Bearer ${secret}` };
    const send = (
      headers: Record<string, string>,
      more: object = {},
      method = "POST",
    ) =>
      bench.kernel.stranger.request(method, path, {
        ...{ headers, body: bytes("{}") },
        ...more,
      });
    const canary = "canary-of-the-caller";
    await send({ "x-hub-signature-256": `sha256=${canary}` });
    await send({});
    await send({ authorization: `Basic ${canary}` });
    await send({ authorization: `Bearer ${canary}` });
    await send({ ...right, "content-encoding": "gzip" });
    await send(right, { query: { [canary]: "1" } });
    await send(right, { query: { token: secret } });
    await send(right, { body: undefined }, "GET");
    await send({ ...right, "x-github-delivery": "a b" });
    await send(right, { body: new Uint8Array(65_537) });
    const expected: [string, RegExp][] = [
      ["BODY_TOO_LARGE", /at most 65,536 bytes/],
      ["IDEMPOTENCY_KEY_INVALID", /X-GitHub-Delivery/],
      ["METHOD_NOT_ALLOWED", /Send a POST/],
      ["WEBHOOK_SECRET_IN_QUERY", /header only/],
      ["INPUT_INVALID", /in the body instead/],
      ["BODY_MEDIA_TYPE", /without a Content-Encoding header/],
      ["WEBHOOK_UNAUTHORIZED", /is not the one of this webhook/],
      ["WEBHOOK_UNAUTHORIZED", /not of the form Bearer/],
      ["WEBHOOK_UNAUTHORIZED", /had no Authorization header\. Send/],
      ["WEBHOOK_UNAUTHORIZED", /was signed .* put a relay in between/],
    ];
    await expectCalls(
      bench,
      id,
      expected.map(([code, help]) => ({
        ...{ verdict: "refused", code, runId: null },
        help: expect.stringMatching(help) as string,
      })),
    );
    await bench.kernel.api.patch(`/api/automations/${id}`, { enabled: false });
    await send(right);
    await vi.waitFor(async () =>
      expect((await callsOf(bench, id))[0]).toMatchObject({
        code: "AUTOMATION_OFF",
        help: expect.stringMatching(/Switch it on/) as string,
      }),
    );
    const { engine } = bench.kernel.kernel.foundation.core;
    for (const key of await engine.keys("automations:")) {
      const stored = JSON.stringify(await engine.get(key));
      expect(stored).not.toContain(canary);
      expect(stored).not.toContain(secret);
    }
  });

  test("a flood of refused bodies and deliveries is a few entries", async () => {
    await using bench = await startBench();
    const { automation, secret } = await bench.createHook();
    const { id } = automation;
    const { engine } = bench.kernel.kernel.foundation.core;
    const before = (await engine.keys("automations:")).length;
    const large = new Uint8Array(65_537);
    for (let round = 0; round < 30; round++) {
      await bench.fire(id, secret, large, { "x-github-delivery": `d${round}` });
      await bench.fire(id, secret, bytes("x"), { "content-encoding": "br" });
    }
    await bench.kernel.clock.advance(10 * SECOND);
    await expectCalls(bench, id, [
      { code: "BODY_MEDIA_TYPE", count: 30 },
      { code: "BODY_TOO_LARGE", count: 30 },
    ]);
    expect((await engine.keys("automations:")).length - before).toBeLessThan(9);
  });

  test("a flood of wrong secrets is one entry that says how many came", async () => {
    await using bench = await startBench();
    const { automation, secret } = await bench.createHook();
    const { id } = automation;
    const { engine } = bench.kernel.kernel.foundation.core;
    await bench.fire(id, "wrong");
    await expectCalls(bench, id, [{ count: 1 }]);
    const before = (await engine.keys("automations:")).length;
    for (let round = 0; round < 20; round++)
      await Promise.all(
        Array.from({ length: 25 }, () => bench.fire(id, "wrong")),
      );
    await bench.kernel.clock.advance(10 * SECOND);
    await expectCalls(bench, id, [
      { verdict: "refused", code: "WEBHOOK_TOO_MANY_TRIES", count: 491 },
      { verdict: "refused", code: "WEBHOOK_UNAUTHORIZED", count: 10 },
    ]);
    // One more entry, with its two orders.
    expect((await engine.keys("automations:")).length - before).toBeLessThan(5);
    expect((await bench.fire(id, secret)).status).toBe(200);
    // A daemon that stops writes what it had only counted.
    await bench.fire(id, "wrong");
    await bench.kernel.restart();
    await expectCalls(bench, id, [
      { verdict: "accepted" },
      { count: 492 },
      { count: 10 },
    ]);
  });

  test("an id that does not exist has no list, and fills nothing", async () => {
    await using bench = await startBench();
    const unknown = `aut_${"a".repeat(24)}`;
    const { engine } = bench.kernel.kernel.foundation.core;
    const before = (await engine.keys("automations:")).length;
    for (let call = 0; call < 30; call++) await bench.fire(unknown, "wrong");
    await bench.kernel.clock.advance(10 * SECOND);
    expect((await engine.keys("automations:")).length).toBe(before);
    const { status } = await bench.kernel.api.get(
      `/api/automations/${unknown}/calls`,
    );
    expect(status).toBe(404);
  });

  test(
    "it is bounded by count, with unauthenticated calls counted apart",
    { tags: "thorough" },
    async () => {
      await using bench = await startBench({
        settings: { limits: { callsKept: 200 } },
      });
      const { automation, secret } = await bench.createHook();
      const { id } = automation;
      await bench.fire(id, secret, bytes("the first"));
      for (let batch = 0; batch < 12; batch++)
        await Promise.all(
          Array.from({ length: 50 }, () => bench.fire(id, secret)),
        );
      await vi.waitFor(async () => {
        const classes: Record<string, number> = {};
        for (const { verdict } of await callsOf(bench, id))
          classes[verdict] = (classes[verdict] ?? 0) + 1;
        expect(classes).toMatchObject({ accepted: 1, skipped: 20 });
        expect(classes["limited"]).toBeGreaterThanOrEqual(200);
        expect(classes["limited"]).toBeLessThanOrEqual(250);
      });
    },
  );

  test("a throttled call is listed before it is answered, also where the list cannot be written", async () => {
    await using bench = await startBench();
    const { automation, secret } = await bench.createHook();
    const { id } = automation;
    for (let call = 0; call < 22; call++) await bench.fire(id, secret);
    const before = (await callsOf(bench, id)).length;
    const { engine } = bench.kernel.kernel.foundation.core;
    const { commit } = engine;
    let write = () => {};
    const isTime = new Promise<void>((resolve) => (write = resolve));
    let waiting = 0;
    engine.commit = async (...batch) => {
      waiting++;
      await isTime;
      return commit(...batch);
    };
    let answers = 0;
    const fired = Array.from({ length: 10 }, async () => {
      const { status } = await bench.fire(id, secret);
      answers++;
      return status;
    });
    await vi.waitFor(() => expect(waiting).toBeGreaterThan(0));
    expect(answers).toBe(0);
    write();
    expect(await Promise.all(fired)).toEqual(Array(10).fill(429));
    expect(await callsOf(bench, id)).toHaveLength(before + 10);
    engine.commit = () => Promise.reject(STORAGE_FULL());
    expect((await bench.fire(id, secret)).status).toBe(507);
    engine.commit = commit;
    expect(await callsOf(bench, id)).toHaveLength(before + 10);
  });

  test(
    "and by age: payloads for 7 days, calls for 30, runs for as long as is set",
    { tags: "thorough" },
    async () => {
      await using bench = await startBench({
        settings: { limits: { runDays: 60 } },
      });
      bench.agents.answer = () => ({});
      const { automation, secret } = await bench.createHook();
      const { id } = automation;
      await bench.fire(id, secret, bytes("Hello"));
      await bench.ended(id, 1);
      const read = async () => {
        const { client } = await bench.kernel.pairAs("Later");
        const get = async <Item>(what: string) =>
          (
            await client.get<{ items: Item[] }>(
              `/api/automations/${id}/${what}`,
            )
          ).body.items;
        return {
          calls: await get<CallView>("calls"),
          runs: await get<RunRecord>("runs"),
        };
      };
      const later = async (ms: number) => {
        await bench.kernel.kernel.stop();
        await bench.kernel.clock.advance(ms);
        await bench.kernel.restart();
      };
      await later(7 * DAY - SECOND);
      expect((await read()).calls).toMatchObject([
        { payloadUntil: "2026-03-09T12:00:00.000Z" },
      ]);
      await later(SECOND);
      expect((await read()).calls).toMatchObject([{ payloadUntil: null }]);
      const payloads = () =>
        bench.kernel.kernel.foundation.core.engine.keys("automations:payload");
      await later(SECOND);
      await vi.waitFor(async () => expect(await payloads()).toEqual([]));
      await later(23 * DAY);
      await vi.waitFor(async () => expect((await read()).calls).toEqual([]));
      expect((await read()).runs).toHaveLength(1);
      // It is done each day, not only at the start.
      await later(30 * DAY - 3600 * SECOND);
      expect((await read()).runs).toHaveLength(1);
      await bench.kernel.clock.advance(DAY);
      await vi.waitFor(async () => expect((await read()).runs).toEqual([]));
    },
  );
});

describe("a call is sent again", () => {
  test("with what came with it, in a fence, and the ledger says which it was", async () => {
    await using bench = await startBench();
    bench.agents.answer = () => ({});
    const { automation, secret } = await bench.createHook();
    const { id } = automation;
    await bench.fire(id, secret, bytes("Hello \u0000 there"));
    await bench.ended(id, 1);
    const [first] = await callsOf(bench, id);
    const again = `/api/automations/${id}/calls/${first!.id}/redeliver`;
    const bare = await bench.kernel.stranger.request("POST", again, {
      headers: {
        authorization: `Bearer ${secret}`,
        origin: bench.kernel.url,
      },
    });
    expect(bare.status).toBe(401);
    const { status, body } = await redeliver(bench, id, first!.id);
    expect(status).toBe(200);
    expect(body.run).toMatchObject({ trigger: "webhook", result: "running" });
    const { prompt } = (await bench.agents.started(1)).input;
    expect(prompt).toContain("\nHello \u0000 there\n----- END UNTRUSTED DATA");
    await expectCalls(bench, id, [
      { verdict: "accepted", redeliveryOf: first!.id, address: null },
      { id: first!.id },
    ]);
  });

  test("not one that is unknown, of another automation, or had no payload kept", async () => {
    await using bench = await startBench();
    const one = await bench.createHook();
    const other = await bench.createHook();
    await bench.fire(one.automation.id, one.secret, bytes("x"));
    await bench.fire(one.automation.id, "wrong");
    await expectCalls(bench, one.automation.id, [{}, {}]);
    const [refused, accepted] = await callsOf(bench, one.automation.id);
    expect(
      await redeliver(bench, other.automation.id, accepted!.id),
    ).toMatchObject({ status: 404, body: { code: "CALL_NOT_FOUND" } });
    expect(
      await redeliver(bench, one.automation.id, `cal_${"a".repeat(24)}`),
    ).toMatchObject({ status: 404 });
    expect(
      await redeliver(bench, one.automation.id, refused!.id),
    ).toMatchObject({ status: 409, body: { code: "CALL_PAYLOAD_GONE" } });
  });

  test("goes with its automation when that is deleted", async () => {
    await using bench = await startBench();
    const { automation, secret } = await bench.createHook();
    await bench.fire(automation.id, secret, bytes("x"));
    await bench.fire(automation.id, "wrong");
    await expectCalls(bench, automation.id, [{}, {}]);
    await bench.kernel.api.delete(`/api/automations/${automation.id}`);
    await nothingOf(bench.kernel, automation.id);
  });
});
