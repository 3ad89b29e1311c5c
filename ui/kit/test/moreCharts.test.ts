import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { toColumns } from "../src/charts/toColumns.ts";
import { toDrawing } from "../src/charts/toDrawing.ts";
import { GaugeChart, LabelChart, TimeChart } from "../src/index.ts";
import { mountInKit } from "./support/mountInKit.ts";

const at = (seconds: number) =>
  new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();
const options = { width: 600, height: 200, whole: false, format: String };

let mounted: ReturnType<typeof mountInKit> | undefined;
afterEach(() => mounted?.wrapper.unmount());

describe("moments", () => {
  test("lines stand as far apart as their moments were, with gaps where there is no value", () => {
    const columns = toColumns({
      times: [at(0), at(1), at(2), at(10)],
      series: [{ label: "Load", values: [1, null, 3, 4] }],
      kind: "lines",
    });
    const { lines, bands, labels } = toDrawing(columns, {
      ...options,
      kind: "lines",
    });
    const [first, second, third, last] = lines[0]!.points;
    expect(second!.y).toBeUndefined();
    expect((last!.x - third!.x) / (third!.x - first!.x)).toBeCloseTo(4);
    // A point of its own, and a line of two.
    expect(lines[0]!.line.match(/M/g)).toHaveLength(2);
    expect(bands.at(0)!.x).toBeLessThanOrEqual(first!.x);
    expect(labels.at(-1)!.text).toMatch(/:\d\d:10/);
  });

  test("more than a hundred bars are put together: sums, or means of shares", () => {
    const times = Array.from({ length: 250 }, (_, index) => at(index));
    const series = [{ label: "Load", values: times.map(() => 10) }];
    const sums = toColumns({ times, series });
    expect(sums.length).toBeLessThanOrEqual(100);
    expect(sums.reduce((sum, { total }) => sum + total, 0)).toBe(2500);
    const means = toColumns({ times, series, merge: "mean" });
    expect(means[0]?.values).toEqual([10]);
  });

  test("whatever is measured, everything stays inside the plot", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.integer({ min: 0, max: 1e8 }),
            fc.option(fc.integer({ min: -1e6, max: 1e6 }), { nil: null }),
          ),
          { minLength: 1, maxLength: 40 },
        ),
        fc.constantFrom("lines" as const, "bars" as const),
        (samples, kind) => {
          samples.sort(([one], [other]) => one - other);
          const columns = toColumns({
            times: samples.map(([seconds]) => at(seconds)),
            series: [{ label: "x", values: samples.map(([, y]) => y) }],
            kind,
          });
          const { lines, bars, plot } = toDrawing(columns, {
            ...options,
            kind,
          });
          const bottom = plot.y + plot.height + 0.01;
          for (const { x, y } of lines.flatMap(({ points }) => points)) {
            expect(x).toBeGreaterThanOrEqual(plot.x);
            expect(x).toBeLessThanOrEqual(plot.x + plot.width);
            if (y === undefined) continue;
            expect(y).toBeGreaterThanOrEqual(plot.y - 0.01);
            expect(y).toBeLessThanOrEqual(bottom);
          }
          for (const { y, height } of bars) {
            expect(y).toBeGreaterThanOrEqual(plot.y - 0.01);
            expect(y + height).toBeLessThanOrEqual(bottom + 1.5);
          }
        },
      ),
    );
  });

  test("what was measured as 0 is a line, not an empty chart", async () => {
    mounted = mountInKit(TimeChart, {
      props: {
        title: "Load",
        kind: "lines",
        times: [at(0), at(60)],
        series: [{ label: "Load", values: [0, 0] }],
      },
    });
    const { wrapper } = mounted;
    await expect.poll(() => wrapper.find("[role=slider]").exists()).toBe(true);
  });
});

describe("bars by label", () => {
  const show = async (props: Record<string, unknown>) => {
    mounted = mountInKit(LabelChart, {
      props: {
        title: "Disk",
        format: (value: number) => `${value} B`,
        ...props,
      },
    });
    const { wrapper } = mounted;
    await expect.poll(() => wrapper.text()).not.toContain("Loading");
    return wrapper;
  };

  test("each bar has its label and its value as text", async () => {
    const wrapper = await show({
      labels: ["Logs", "Cache", "Unknown"],
      series: [{ label: "Size", values: [30, 10, null] }],
    });
    expect(wrapper.get("ul").attributes("aria-label")).toBe("Disk");
    expect(wrapper.findAll("li").map((bar) => bar.text())).toEqual([
      "Logs30 B",
      "Cache10 B",
      "Unknown–",
    ]);
    const widths = wrapper
      .findAll("li [data-colour]")
      .map((bar) => (bar.element as HTMLElement).style.width);
    expect(widths).toEqual(["100%", "33.33333333333333%", "0px"]);
  });

  test("parts are described one by one, and a missing value is reported", async () => {
    const wrapper = await show({
      labels: ["Logs"],
      series: [
        { label: "Old", values: [5] },
        { label: "New", values: [7] },
      ],
    });
    expect(wrapper.get("[aria-label=Disk] > li").text()).toContain(
      "Old 5 B · New 7 B",
    );
    mounted?.wrapper.unmount();
    const empty = await show({ labels: [], series: [], empty: "Nothing yet" });
    expect(empty.text()).toBe("Nothing yet");
  });
});

describe("a gauge", () => {
  const show = async (props: Record<string, unknown>) => {
    mounted = mountInKit(GaugeChart, {
      props: {
        title: "Memory",
        format: (value: number) => `${value} B`,
        ...props,
      },
    });
    const { wrapper } = mounted;
    await expect.poll(() => wrapper.text()).not.toContain("Loading");
    return wrapper;
  };

  test("says how much of what, and never shows more than full", async () => {
    const wrapper = await show({ value: 30, max: 20 });
    const meter = wrapper.get("[role=meter]");
    expect(meter.attributes("aria-valuetext")).toBe("30 B of 20 B");
    expect(meter.attributes("aria-valuenow")).toBe("20");
    expect(wrapper.get(".filled").attributes("stroke-dasharray")).toBe(
      "100 100",
    );
  });

  test("without a maximum it is the value; without a value it says so", async () => {
    expect((await show({ value: 30 })).text()).toBe("30 B");
    mounted?.wrapper.unmount();
    expect((await show({ value: undefined, empty: "Unknown" })).text()).toBe(
      "Unknown",
    );
  });
});
