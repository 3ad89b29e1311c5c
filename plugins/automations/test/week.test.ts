import { describe, expect, test } from "vitest";
import { countDay } from "../src/runs/run-days.ts";
import { nothingOf } from "./support/nothing-of.ts";
import { daily, startBench } from "./support/start.ts";

const DAY = 24 * 60 * 60 * 1000;

interface Week {
  automations: { id: string; name: string }[];
  runs: { automationId: string; firedAt: string; result: string }[];
  planned: { label: string; times: string[]; often: number[] }[];
  truncated: boolean;
}

describe("a week", () => {
  test("names each automation that ran, however many there are", async () => {
    await using bench = await startBench();
    bench.agents.answer = () => ({});
    const first = await bench.create({ name: "The first" });
    const gone = await bench.create({ name: "Gone" });
    for (const [index, { id }] of [first, gone].entries()) {
      await bench.runNow(id);
      await bench.finished(index + 1);
    }
    await bench.kernel.api.delete(`/api/automations/${gone.id}`);
    await nothingOf(bench.kernel, gone.id);
    await bench.kernel.clock.advance(1_000);
    for (let count = 0; count < 20; count++)
      await Promise.all(Array.from({ length: 11 }, () => bench.create()));
    const { body } = await bench.kernel.api.get<Week>("/api/automations/week", {
      from: "2026-03-02T00:00:00.000Z",
    });
    expect(body.runs).toMatchObject([{ automationId: first.id }]);
    expect(body.automations).toEqual([{ id: first.id, name: "The first" }]);
  });

  test(
    "has what ran and what will, with the offsets of the schedules",
    { tags: "thorough" },
    async () => {
      await using bench = await startBench();
      bench.agents.answer = () => ({});
      const { id } = await bench.create({ schedules: [daily("13:00")] });
      await bench.create({
        name: "Often",
        schedules: [{ frequency: "hourly", minute: 30, timeZone: "UTC" }],
      });
      await bench.create({
        name: "Off",
        schedules: [daily("14:00")],
        enabled: false,
      });
      await bench.kernel.clock.advance(1.5 * DAY);
      await bench.ended(id, 2);
      const { status, body } = await bench.kernel.api.get<Week>(
        "/api/automations/week",
        { from: "2026-03-02T00:00:00.000Z" },
      );
      expect(status).toBe(200);
      expect(body.automations.map(({ name }) => name).sort()).toEqual([
        "Morning brief",
        "Often",
      ]);
      const own = body.runs.filter(({ automationId }) => automationId === id);
      expect(own).toMatchObject([{ result: "done" }, { result: "done" }]);
      const next = (await bench.get(id)).nextRunAt!;
      const labelled = (label: string) =>
        body.planned.find((one) => one.label === label);
      const often = labelled("Hourly at :30");
      const brief = labelled("Daily at 13:00");
      expect(often).toMatchObject({
        times: [],
        // Monday and Tuesday are over.
        often: [0, 0, 24, 24, 24, 24, 24],
      });
      expect(brief!.times).toEqual(
        [0, 1, 2, 3, 4].map((day) =>
          new Date(Date.parse(next) + day * DAY).toISOString(),
        ),
      );
      expect(body.truncated).toBe(false);
      const later = await bench.kernel.api.get<Week>("/api/automations/week", {
        from: "2026-03-30T00:00:00.000Z",
      });
      expect(later.body.runs).toEqual([]);
      expect(
        later.body.planned.map(({ times }) => times.length).sort(),
      ).toEqual([0, 7]);
    },
  );

  test("is told at once, however far away it is", async () => {
    await using bench = await startBench();
    bench.agents.answer = () => ({});
    const { id } = await bench.create({
      schedules: [
        daily("13:00"),
        { frequency: "custom", cron: "*/5 * * * *", timeZone: "UTC" },
      ],
    });
    await bench.runNow(id);
    await bench.ended(id, 1);
    const weekFrom = async (from: string) =>
      (await bench.kernel.api.get<Week>("/api/automations/week", { from }))
        .body;
    const far = await weekFrom("2900-06-02T00:00:00.000Z");
    expect(far.runs).toEqual([]);
    expect(far.planned.map(({ times }) => times.length).sort()).toEqual([0, 7]);
    expect(
      far.planned.flatMap(({ times }) => times.map((at) => at.slice(0, 13))),
    ).toContain("2900-06-08T13");
    expect(await weekFrom("0000-01-01T00:00:00.000Z")).toMatchObject({
      runs: [],
      planned: [],
    });
  });

  test("that is over has its own runs, and none of those since", async () => {
    await using bench = await startBench();
    bench.agents.answer = () => ({});
    const { id } = await bench.create();
    for (const [index, day] of ["02", "08", "09", "20"].entries()) {
      bench.kernel.clock.jumpWall(`2026-03-${day}T12:00:00.000Z`);
      await bench.runNow(id);
      await bench.ended(id, index + 1);
    }
    const { body } = await bench.kernel.api.get<Week>("/api/automations/week", {
      from: "2026-03-02T00:00:00.000Z",
    });
    const until = "2026-03-09T00:00:00.000Z";
    const runs = await bench.runs(id);
    const own = runs.filter(({ firedAt }) => firedAt < until);
    expect(own).toHaveLength(2);
    expect(body.runs.map(({ firedAt }) => firedAt)).toEqual(
      own.map(({ firedAt }) => firedAt),
    );
  });

  test("is asked for with a moment", async () => {
    await using bench = await startBench();
    for (const query of [
      {},
      { from: "soon" },
      { from: "2026-03-02" },
      { from: "9999-12-31T23:59:59.999Z" },
    ])
      expect(
        (await bench.kernel.api.get("/api/automations/week", query)).status,
      ).toBe(400);
  });
});

test(
  "the last 30 days of an automation are counted by day and by how its runs ended",
  { tags: "thorough" },
  async () => {
    await using bench = await startBench();
    const { id } = await bench.create({ schedules: [daily("13:00")] });
    await bench.runNow(id);
    await bench.runNow(id);
    (await bench.agents.started(0)).finish();
    await bench.ended(id, 2);
    bench.agents.answer = () => ({ failure: "agent-error" });
    await bench.kernel.clock.advance(2 * DAY);
    await bench.ended(id, 4);
    expect((await bench.get(id)).days).toEqual([
      { day: "2026-03-02", done: 1, failed: 1, skipped: 1 },
      { day: "2026-03-03", done: 0, failed: 1, skipped: 0 },
    ]);
    let days: ReturnType<typeof countDay> = [];
    for (let day = 0; day < 40; day++) {
      const firedAt = new Date(Date.UTC(2026, 0, 1) + day * DAY).toISOString();
      days = countDay(days, { firedAt, result: "done" });
    }
    expect(days).toHaveLength(30);
    expect(days[0]!.day).toBe("2026-01-11");
  },
);
