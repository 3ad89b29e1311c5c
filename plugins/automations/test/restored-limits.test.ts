import { cases } from "@gantry/build/testing";
import { describe, expect, test } from "vitest";
import { startRestorable } from "./support/restorable-bench.ts";

const HOUR = 3_600_000;

describe.each(cases(["whole", "merge"] as const))(
  "after a %s restore",
  (way) => {
    test("what was spent and which runs began since count on for limits and caps", async () => {
      await using home = await startRestorable();
      const { bench } = home;
      const { api } = bench.kernel;
      bench.agents.answer = () => ({
        usage: { inputTokens: 1, outputTokens: 1, costUsd: 0.5 },
      });
      const { id } = await bench.create({ limits: { maxRunsPerDay: 3 } });
      const kept = await bench.create({ name: "Deleted since" });
      await api.put("/api/automations/spending", {
        maxDailyUsd: 2,
        maxWeeklyUsd: null,
      });
      const run = async (automation: string, count: number) => {
        await bench.runNow(automation);
        await bench.ended(automation, count);
      };
      await run(id, 1);
      const copy = await home.copy();
      await run(id, 2);
      await run(kept.id, 1);
      await api.delete(`/api/automations/${kept.id}`);
      const spent = async () => {
        const { body } = await api.get<{ day: { spentUsd: number } }>(
          "/api/automations/spending",
        );
        return body.day.spentUsd;
      };
      expect(await spent()).toBe(1.5);
      for (let time = 0; time < 2; time++) {
        await home.restore(copy, way);
        expect(await spent()).toBe(1.5);
      }
      const before = (await bench.runs(id)).length;
      await run(id, before + 1);
      expect(await spent()).toBe(2);
      expect(await bench.runNow(kept.id)).toMatchObject({ reason: "cost-cap" });
      expect(await bench.runNow(id)).toMatchObject({
        result: "skipped",
        reason: "rate-cap",
      });
      const numbers = (await bench.runs(id)).map(({ number }) => number);
      expect(new Set(numbers).size).toBe(numbers.length);
      // A day later there is room again.
      await bench.kernel.clock.advance(24 * HOUR);
      expect(await spent()).toBe(0);
      expect(await bench.runNow(id)).toMatchObject({ reason: null });
    });

    test(
      "a run that the restore cut off, and runs that crashed, count on for caps",
      { tags: ["thorough"] },
      async () => {
        await using home = await startRestorable();
        const { bench } = home;
        const { automation, secret } = await bench.createHook();
        const capped = await bench.create({ limits: { maxRunsPerDay: 1 } });
        const copy = await home.copy();
        await bench.runNow(capped.id);
        await bench.agents.started(0);
        bench.agents.answer = () => ({ failure: "agent-error", message: "" });
        for (let count = 1; count <= 5; count++) {
          await bench.fire(automation.id, secret);
          await bench.ended(automation.id, count);
        }
        await home.restore(copy, way);
        const { body } = await bench.fire(automation.id, secret);
        expect(body.run).toMatchObject({ reason: "rate-cap" });
        expect(await bench.runNow(capped.id)).toMatchObject({
          result: "skipped",
          reason: "rate-cap",
        });
      },
    );
  },
);
