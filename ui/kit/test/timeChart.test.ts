import { flushPromises } from "@vue/test-utils";
import { afterEach, describe, expect, test } from "vitest";
import { toColumns } from "../src/charts/toColumns.ts";
import { toDrawing } from "../src/charts/toDrawing.ts";
import { formatChange, TimeChart, type TimeChartProps } from "../src/index.ts";
import { mountInKit } from "./support/mountInKit.ts";

const days = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10),
  );

const spent: TimeChartProps = {
  title: "Spent by day",
  times: days(3),
  series: [{ label: "Spent", values: [1, 0, 4] }],
  format: (value) => `$${value}`,
  unknown: {
    label: "Unknown cost",
    counts: [0, 2, 1],
    inWords: (count) => `${count} turns of unknown cost`,
  },
};

describe("columns", () => {
  test("a hundred days are days; more are weeks, of which the newest is whole", () => {
    const values = (count: number) => [
      { label: "Runs", values: days(count).map(() => 1) },
    ];
    const daily = toColumns({ times: days(100), series: values(100) });
    expect(daily).toHaveLength(100);
    const weekly = toColumns({ times: days(366), series: values(366) });
    expect(weekly).toHaveLength(53);
    expect(weekly.at(0)?.total).toBe(2);
    expect(weekly.at(-1)?.total).toBe(7);
    expect(weekly.at(-1)?.long).toMatch(/–|to/);
    expect(weekly.reduce((sum, { total }) => sum + total, 0)).toBe(366);
  });

  test("an hour is told by the clock that counted it, wherever the test runs", () => {
    const [column] = toColumns({
      times: ["2026-03-01T14"],
      series: [{ label: "Runs", values: [1] }],
    });
    expect(column?.short).toMatch(/14:00|02:00 PM/);
  });
});

describe("drawing", () => {
  const options = {
    ...{ width: 600, height: 200, whole: false },
    format: String,
  };

  test("bars are stacked, and what is little is still seen", () => {
    const columns = toColumns({
      times: days(2),
      series: [
        { label: "Done", values: [1000, 10] },
        { label: "Failed", values: [1, 10] },
      ],
    });
    const { bars, ticks } = toDrawing(columns, { ...options, kind: "bars" });
    expect(bars).toHaveLength(4);
    const [, low, tiny, high] = bars;
    expect(tiny!.height).toBeGreaterThan(1);
    expect(high!.y + high!.height).toBeCloseTo(low!.y, 0);
    expect(ticks.at(0)?.label).toBe("0");
  });

  test("what is unknown has a mark on the ground, not a bar and not nothing", () => {
    const columns = toColumns(spent);
    const { bars, marks, plot } = toDrawing(columns, {
      ...options,
      kind: "bars",
    });
    expect(bars).toHaveLength(2);
    expect(marks).toHaveLength(2);
    expect(marks[0]!.y + marks[0]!.height).toBeLessThanOrEqual(
      plot.y + plot.height,
    );
    expect(marks[1]!.y).toBeLessThan(marks[0]!.y);
  });

  test("whole things have no halves on their axis", () => {
    const columns = toColumns({
      times: days(1),
      series: [{ label: "Runs", values: [1] }],
    });
    const { ticks } = toDrawing(columns, {
      ...options,
      kind: "bars",
      whole: true,
    });
    expect(ticks.map(({ label }) => label)).toEqual(["0", "1"]);
  });

  test("a line goes through each value", () => {
    const { lines, bars } = toDrawing(toColumns(spent), {
      ...options,
      kind: "lines",
    });
    expect(bars).toEqual([]);
    expect(lines[0]?.points).toHaveLength(3);
    expect(lines[0]?.line).toMatch(/^M[\d.]+,[\d.]+C/);
  });
});

describe("the chart", () => {
  let mounted: ReturnType<typeof mountInKit> | undefined;
  afterEach(() => mounted?.wrapper.unmount());

  async function show(props: Partial<TimeChartProps> = {}) {
    mounted = mountInKit(TimeChart, { props: { ...spent, ...props } });
    const { wrapper } = mounted;
    await expect
      .poll(() => wrapper.find("svg, table, p, .border-dashed").exists())
      .toBe(true);
    await flushPromises();
    return wrapper;
  }

  test("keys go from day to day, and each is read out; unknown is not 0", async () => {
    const wrapper = await show();
    const slider = wrapper.get("[role=slider]");
    const spoken = () => slider.attributes("aria-valuetext");
    expect(slider.attributes("aria-label")).toBe("Spent by day");
    expect(spoken()).toMatch(/Jan.*Spent \$4, 1 turns of unknown cost/);
    await slider.trigger("keydown", { key: "ArrowLeft" });
    expect(spoken()).toMatch(/Spent unknown, 2 turns of unknown cost/);
    await slider.trigger("keydown", { key: "Home" });
    expect(spoken()).toMatch(/Spent \$1$/);
    await slider.trigger("keydown", { key: "ArrowLeft" });
    expect(slider.attributes("aria-valuenow")).toBe("0");
  });

  test("the same figures are a table, newest first", async () => {
    const wrapper = await show();
    await wrapper.get("button").trigger("click");
    expect(wrapper.get("caption").text()).toBe("Spent by day");
    const rows = wrapper
      .findAll("tbody tr")
      .map((row) => row.findAll("td").map((cell) => cell.text()));
    expect(rows).toEqual([
      ["$4", "1 turns of unknown cost"],
      ["unknown", "2 turns of unknown cost"],
      ["$1", "–"],
    ]);
    await wrapper.get("button").trigger("click");
    expect(wrapper.find("svg").exists()).toBe(true);
  });

  test("nothing is said, not drawn", async () => {
    const wrapper = await show({
      series: [{ label: "Spent", values: [0, 0, 0] }],
      unknown: undefined,
      empty: "Nothing was spent in this time",
    });
    expect(wrapper.text()).toBe("Nothing was spent in this time");
  });
});

test("a change is told in per cent, and not at all where there is nothing to compare", () => {
  expect(formatChange(112, 100)).toBe("+12 %");
  expect(formatChange(60, 100)).toBe("−40 %");
  expect(formatChange(100.1, 100)).toBe("as before");
  expect(formatChange(1200, 100)).toBe("×12");
  expect([
    formatChange(1, 0),
    formatChange(1, null),
    formatChange(null, 1),
    formatChange(undefined, undefined),
  ]).toEqual([null, null, null, null]);
});
