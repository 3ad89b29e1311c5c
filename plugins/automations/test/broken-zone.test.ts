import { expect, test } from "vitest";
import { inShort } from "./support/instants.ts";
import { daily, startBench } from "./support/start.ts";
import type { Bench } from "./support/start.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Puts another text into what is stored of an automation, as a newer version or another machine could have. */
async function rewrite(
  { kernel }: Bench,
  id: string,
  from: string,
  to: string,
): Promise<void> {
  const { engine } = kernel.kernel.foundation.core;
  const keys = await engine.keys("automations:automation:");
  const key = keys.find((one) => one.endsWith(id))!;
  const text = JSON.stringify(await engine.get(key)).replace(from, to);
  const value = JSON.parse(text) as object;
  await engine.commit([{ type: "set", key, value }]);
}

test(
  "a zone that this machine does not know holds up nothing but its own schedule, until it is known",
  { tags: "thorough" },
  async () => {
    await using bench = await startBench();
    bench.agents.answer = () => ({});
    const far = await bench.create({
      name: "Far",
      schedules: [daily("13:00", { timeZone: "Europe/London" })],
    });
    const near = await bench.create({
      name: "Near",
      schedules: [daily("13:00")],
    });
    await rewrite(bench, far.id, "Europe/London", "Mars/Base");
    await bench.kernel.kernel.stop();
    await bench.kernel.clock.advance(2 * DAY);
    await bench.kernel.restart();

    // Its slot was found while the zone was known; the one after it cannot be.
    await bench.kernel.clock.advance(MINUTE);
    expect(inShort(await bench.ended(far.id, 1))).toEqual([
      "catch-up 2026-03-02T13:00Z done",
    ]);
    expect(inShort(await bench.ended(near.id, 1))).toEqual([
      "catch-up 2026-03-03T13:00Z done",
    ]);
    await bench.kernel.clock.advance(DAY);
    expect(inShort(await bench.ended(near.id, 2))[1]).toBe(
      "schedule 2026-03-04T13:00Z done",
    );
    expect(await bench.runs(far.id)).toHaveLength(1);
    expect(await bench.get(far.id)).toMatchObject({
      nextRunAt: null,
      schedules: [{ enabled: true, nextRunAt: null, timeZone: "Mars/Base" }],
    });
    expect(
      bench.kernel.log.filter(({ level, message }) =>
        `${String(level)} ${String(message)}`.includes("warn A time zone"),
      ),
    ).toMatchObject([{ automationId: far.id, timeZone: "Mars/Base" }]);
    const path = `/api/automations/${far.id}`;
    expect(
      await bench.kernel.api.patch(path, { name: "Further" }),
    ).toMatchObject({ status: 200 });
    expect(await bench.runNow(far.id)).toMatchObject({ result: "running" });

    await rewrite(bench, far.id, "Mars/Base", "Europe/London");
    await bench.kernel.restart();
    await bench.kernel.clock.advance(MINUTE);
    expect(inShort(await bench.ended(far.id, 3))[2]).toBe(
      "catch-up 2026-03-04T13:00Z done",
    );
    expect((await bench.get(far.id)).nextRunAt).toMatch(/^2026-03-05T13:0/);
  },
);
