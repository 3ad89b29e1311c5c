import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FAKE_PI } from "@gantry/plugin-pi/testing";
import { toStandIn } from "@gantry/agent-kit/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { UsageKernel } from "./help/usage-kernel.ts";

let kernel: UsageKernel;
let folder: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "gantry-usage-")));
  const pi = { driver: "pi", ...toStandIn(FAKE_PI, { FAKE_PI_HOME: folder }) };
  kernel = await UsageKernel.start({
    fakeTime: true,
    startAt: "2026-03-01T23:30:00.000Z",
    clis: { pi },
  });
  const first = await kernel.createAgent({ cli: "practice", name: "First" });
  const second = await kernel.createAgent({ cli: "pi", name: "Second" });
  await kernel.ask(first, "[[cost:1]][[reply:a]]");
  await kernel.ask(second, "[[reply:b]]");
  await kernel.clock.advance(60 * 60_000);
  await kernel.ask(first, "[[cost:2]][[reply:c]]");
  await kernel.ask(first, "[[reply:free of charge]]");
});
afterAll(async () => {
  await kernel.stop();
  await rm(folder, { recursive: true, force: true });
});

const usage = async (query: Record<string, string> = {}) =>
  await kernel.usage(query);

describe("usage", () => {
  test("is summed by UTC day, newest first", async () => {
    const { items, total, from, to } = await usage({
      from: "2026-02-25",
      to: "2026-03-02",
    });
    expect([from, to]).toEqual(["2026-02-25", "2026-03-02"]);
    expect(items.map(({ key, turns }) => [key, turns])).toEqual([
      ["2026-03-02", 2],
      ["2026-03-01", 2],
    ]);
    expect(items[0]?.usage.costUsd).toBe(2);
    expect(items[1]?.usage.costUsd).toBeCloseTo(1.0006, 9);
    expect(total.turns).toBe(4);
    expect(total.usage.costUsd).toBeCloseTo(3.0006, 9);
  });

  test("is summed by agent, model and automation", async () => {
    expect(
      (await usage({ by: "agent" })).items.map(({ name, turns }) => [
        name,
        turns,
      ]),
    ).toEqual([
      ["First", 3],
      ["Second", 1],
    ]);
    expect(
      (await usage({ by: "model" })).items.map(({ key, turns }) => [
        key,
        turns,
      ]),
    ).toEqual([
      [null, 3],
      ["fake/fake-1", 1],
    ]);
    expect((await usage({ by: "automation" })).items).toMatchObject([
      { key: null, turns: 4 },
    ]);
  });

  test("that is unknown is null, not 0", async () => {
    const { items } = await usage({ by: "agent" });
    expect(
      items.find(({ name }) => name === "First")?.usage.inputTokens,
    ).toBeNull();
    expect(
      (await usage({ from: "2020-01-01", to: "2020-01-02" })).total,
    ).toEqual({
      turns: 0,
      ends: { end: 0, cancelled: 0, refused: 0, error: 0 },
      usage: { inputTokens: null, outputTokens: null, costUsd: null },
      unknown: { cost: 0, tokens: 0 },
    });
  });

  test("says of how many turns the cost or the tokens are unknown, and how turns ended", async () => {
    const { total, items } = await usage({ by: "agent" });
    expect(total.unknown).toEqual({ cost: 1, tokens: 3 });
    expect(items[1]).toMatchObject({ unknown: { cost: 0, tokens: 0 } });
    expect(total.ends).toEqual({ end: 4, cancelled: 0, refused: 0, error: 0 });
  });

  test("is summed by the days and hours of a zone", async () => {
    const days = async (timeZone: string, range = {}) =>
      (await usage({ timeZone, ...range })).items.map(({ key, turns }) => [
        key,
        turns,
      ]);
    // The first two turns ended at 23:30, the others at 00:30 UTC.
    expect(await days("Europe/Berlin")).toEqual([["2026-03-02", 4]]);
    expect(await days("America/New_York")).toEqual([["2026-03-01", 4]]);
    const early = { from: "2026-03-02", to: "2026-03-02", by: "hour" };
    expect(await days("Asia/Kathmandu", early)).toEqual([
      ["2026-03-02T06", 2],
      ["2026-03-02T05", 2],
    ]);
    const late = { from: "2026-03-01", to: "2026-03-01" };
    expect(await days("Europe/Berlin", late)).toEqual([]);
  });

  test("tells since when there is any, by the same days", async () => {
    const query = { from: "2026-03-02", to: "2026-03-02" };
    expect((await usage(query)).since).toBe("2026-03-01");
    expect((await usage({ timeZone: "Asia/Tokyo" })).since).toBe("2026-03-02");
  });

  test("is of the last 30 days unless said", async () => {
    expect(await usage()).toMatchObject({
      from: "2026-02-01",
      to: "2026-03-02",
      by: "day",
    });
  });

  test.each([
    [{ from: "2026-03-02", to: "2026-03-01" }],
    [{ from: "2020-01-01", to: "2026-03-01" }],
    [{ from: "2026-02-30" }],
    [{ from: "yesterday" }],
    [{ by: "colour" }],
    [{ since: "2026-01-01" }],
    [{ timeZone: "Middle/Earth" }],
    [{ from: "2026-02-01", to: "2026-03-01", by: "hour" }],
  ])("%j is 400", async (query: Record<string, string>) => {
    expect((await kernel.api.get("/api/usage", query)).status).toBe(400);
  });
});

test("is only for paired clients", async () => {
  expect((await kernel.stranger.get("/api/usage")).status).toBe(401);
});
