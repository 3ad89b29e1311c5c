import { cases, isThorough } from "@gantry/build/testing";
import { describe, expect, test } from "vitest";
import { NotifyFailed } from "../src/contract.ts";
import { inShort } from "./support/instants.ts";
import { startReceiver } from "./support/receivers.ts";
import { startRestorable } from "./support/restorable-bench.ts";
import { daily } from "./support/start.ts";
import type { Bench } from "./support/start.ts";

const HOUR = 3_600_000;

/** Advances the clock by a minute, so that a catch-up that is due begins and continues. */
const settle = async ({ kernel }: Bench) =>
  void (await kernel.clock.advance(60_000));

describe.each(cases(["whole", "merge"] as const))(
  "after a %s restore",
  (way) => {
    test("a slot that fired does not run again, and the next one does", async () => {
      await using home = await startRestorable();
      const { bench } = home;
      bench.agents.answer = () => ({});
      const { id } = await bench.create({ schedules: [daily("13:00")] });
      const copy = await home.copy();
      await bench.kernel.clock.advance(2 * HOUR);
      await bench.ended(id, 1);
      const { schedules } = await bench.get(id);
      await home.restore(copy, way);
      await settle(bench);
      expect(bench.agents.runs).toHaveLength(1);
      expect((await bench.get(id)).schedules).toEqual(schedules);
      // Nor after a second one and a restart.
      await home.restore(copy, way);
      await bench.kernel.restart();
      await settle(bench);
      expect(bench.agents.runs).toHaveLength(1);
      // A day takes a moment.
      if (!isThorough) return;
      await bench.kernel.clock.advance(24 * HOUR);
      expect(inShort(await bench.ended(id, 1))).toContain(
        "schedule 2026-03-03T13:00Z done",
      );
      expect(bench.agents.runs).toHaveLength(2);
    });

    test(
      "neither does one whose automation was deleted meanwhile",
      { tags: ["thorough"] },
      async () => {
        await using home = await startRestorable();
        const { bench } = home;
        bench.agents.answer = () => ({});
        const { id } = await bench.create({ schedules: [daily("13:00")] });
        const copy = await home.copy();
        await bench.kernel.clock.advance(2 * HOUR);
        await bench.ended(id, 1);
        await bench.kernel.api.delete(`/api/automations/${id}`);
        await home.restore(copy, way);
        await settle(bench);
        expect(await bench.get(id)).toMatchObject({ enabled: true });
        expect(bench.agents.runs).toHaveLength(1);
      },
    );

    test(
      "a slot that was missed is made up for",
      { tags: ["thorough"] },
      async () => {
        await using home = await startRestorable();
        const { bench } = home;
        bench.agents.answer = () => ({});
        const { id } = await bench.create({ schedules: [daily("13:00")] });
        const copy = await home.copy();
        await bench.kernel.api.delete(`/api/automations/${id}`);
        await bench.kernel.clock.advance(2 * HOUR);
        await home.restore(copy, way);
        await settle(bench);
        expect(inShort(await bench.ended(id, 1))).toEqual([
          "catch-up 2026-03-02T13:00Z done",
        ]);
      },
    );

    test("a queued run that began since does not begin again, and has the end that it had", async () => {
      await using home = await startRestorable({
        settings: { limits: { concurrentRuns: 1 } },
      });
      await using target = await startReceiver();
      const { bench } = home;
      const first = await bench.create({ name: "First" });
      const second = await bench.create({ notifyUrl: target.url });
      await bench.runNow(first.id);
      await bench.runNow(second.id);
      const copy = await home.copy();
      for (const index of [0, 1]) {
        const run = await bench.agents.started(index);
        const usage = { inputTokens: 1, outputTokens: 1, costUsd: 0.5 };
        run.finish({ message: "All is well.", usage });
      }
      await bench.ended(second.id, 1);
      await target.got(1);
      await home.restore(copy, way);
      await settle(bench);
      expect(bench.agents.runs).toHaveLength(2);
      for (const { id } of [first, second])
        expect(await bench.ended(id, 1)).toMatchObject([
          { result: "done", reason: null, costUsd: 0.5 },
        ]);
      await bench.kernel.restart();
      await settle(bench);
      expect(bench.agents.runs).toHaveLength(2);
      expect(target.requests).toHaveLength(1);
    });

    test(
      "a queued run that was deleted with its automation does not begin",
      { tags: ["thorough"] },
      async () => {
        await using home = await startRestorable({
          settings: { limits: { concurrentRuns: 1 } },
        });
        const { bench } = home;
        const first = await bench.create({ name: "First" });
        const second = await bench.create({ name: "Second" });
        await bench.runNow(first.id);
        await bench.runNow(second.id);
        const copy = await home.copy();
        await bench.kernel.api.delete(`/api/automations/${second.id}`);
        (await bench.agents.started(0)).finish();
        await bench.ended(first.id, 1);
        await home.restore(copy, way);
        await settle(bench);
        expect(bench.agents.runs).toHaveLength(1);
        expect(await bench.ended(second.id, 1)).toMatchObject([
          { result: "failed", reason: "cancelled" },
        ]);
      },
    );

    test(
      "a notification that was sent is not sent again",
      { tags: ["thorough"] },
      async () => {
        await using home = await startRestorable();
        let answer = () => {};
        await using target = await startReceiver(
          (response) => (answer = () => void response.end("ok")),
        );
        const { bench } = home;
        const { id } = await bench.create({ notifyUrl: target.url });
        await bench.runNow(id);
        (await bench.agents.started(0)).finish();
        await target.got(1);
        const copy = await home.copy();
        answer();
        const { engine } = bench.kernel.kernel.foundation.core;
        const left = () => engine.keys("automations:notify:");
        await expect.poll(left).toEqual([]);
        await home.restore(copy, way);
        await settle(bench);
        await bench.kernel.stop();
        expect(target.requests).toHaveLength(1);
        expect(bench.kernel.events.all(NotifyFailed)).toEqual([]);
      },
    );
  },
);

test(
  "a call that a webhook answered before a restore gets the same answer, and runs nothing",
  { tags: ["thorough"] },
  async () => {
    await using home = await startRestorable();
    const { bench } = home;
    bench.agents.answer = () => ({});
    const { automation, secret } = await bench.createHook();
    const copy = await home.copy();
    for (const header of ["idempotency-key", "x-github-delivery"]) {
      const call = () =>
        bench.fire(automation.id, secret, undefined, {
          [header]: `once-${header}`,
        });
      const first = await call();
      expect(first.status).toBe(200);
      await bench.ended(automation.id, 1);
      await home.restore(copy);
      const runs = bench.agents.runs.length;
      expect((await call()).body).toEqual(first.body);
      expect(bench.agents.runs).toHaveLength(runs);
      expect(await bench.runs(automation.id)).toEqual([]);
    }
  },
);

describe.each(cases(["whole", "merge"] as const))(
  "a secret that was revoked before a %s restore",
  (way) => {
    const REVOKED_AT = "2026-03-02T12:00:00.000Z";

    test.each(cases(["replaced", "switched off", "deleted"] as const))(
      "stays revoked when it was %s, and the webhook says that it needs a new one",
      async (how) => {
        await using home = await startRestorable();
        const { bench } = home;
        const { api } = bench.kernel;
        bench.agents.answer = () => ({});
        const { automation, secret } = await bench.createHook();
        const path = `/api/automations/${automation.id}`;
        const renew = async () =>
          (await api.post<{ webhookSecret: string }>(`${path}/secret`)).body
            .webhookSecret;
        expect(automation).toMatchObject({ webhookSecretRevokedAt: null });
        const copy = await home.copy();
        const second = how === "replaced" ? await renew() : undefined;
        if (how === "switched off") await api.patch(path, { webhook: false });
        if (how === "deleted") await api.delete(path);
        const later = await home.copy();

        for (let time = 0; time < 2; time++) {
          await home.restore(copy, way);
          expect(await bench.get(automation.id)).toMatchObject({
            webhook: true,
            webhookSecretRevokedAt: REVOKED_AT,
          });
          expect((await bench.fire(automation.id, secret)).status).toBe(401);
        }
        const { body } = await api.get<{ items: object[] }>(`${path}/calls`);
        expect(body.items[0]).toMatchObject({
          verdict: "refused",
          code: "WEBHOOK_UNAUTHORIZED",
          help: expect.stringContaining("No call passes until a new secret"),
        });

        // The restore is undone: what was good then is good again, and nothing else.
        if (second) {
          await home.restore(later, way);
          expect((await bench.fire(automation.id, second)).status).toBe(200);
          expect((await bench.fire(automation.id, secret)).status).toBe(401);
          await home.restore(copy, way);
        }
        const third = await renew();
        expect((await bench.fire(automation.id, third)).status).toBe(200);
        expect((await bench.fire(automation.id, secret)).status).toBe(401);
        expect(await bench.get(automation.id)).toMatchObject({
          webhookSecretRevokedAt: null,
        });
      },
    );
  },
);
