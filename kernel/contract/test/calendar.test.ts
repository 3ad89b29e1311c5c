import fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { expect, test } from "vitest";
import {
  createLocalHours,
  createLocalTime,
  daysBetween,
} from "../src/index.ts";
import { timeZone } from "../src/zod.ts";

const at = (time: string) => Date.parse(time);

test("an instant is told as the hour of a zone's clocks, by halves and quarters of hours too", () => {
  const hour = (zone: string, time: string) => createLocalHours(zone)(at(time));
  expect(hour("UTC", "2026-03-01T23:59:59.999Z")).toBe("2026-03-01T23");
  expect(hour("Europe/Berlin", "2026-03-01T23:00:00Z")).toBe("2026-03-02T00");
  expect(hour("Asia/Kolkata", "2026-03-01T18:30:00Z")).toBe("2026-03-02T00");
  expect(hour("Asia/Kathmandu", "2026-03-01T18:14:59Z")).toBe("2026-03-01T23");
  expect(hour("America/New_York", "2026-03-01T04:59:00Z")).toBe(
    "2026-02-28T23",
  );
});

test("on the days when clocks are moved each hour is still the one that they show", () => {
  const berlin = createLocalHours("Europe/Berlin");
  expect(berlin(at("2026-03-29T00:59:00Z"))).toBe("2026-03-29T01");
  expect(berlin(at("2026-03-29T01:00:00Z"))).toBe("2026-03-29T03");
  expect(berlin(at("2026-10-25T00:30:00Z"))).toBe("2026-10-25T02");
  expect(berlin(at("2026-10-25T01:30:00Z"))).toBe("2026-10-25T02");
});

test("it says what a formatter of the zone says at any instant", () => {
  const zones = ["America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia"];
  for (const zone of zones) {
    const local = createLocalHours(zone);
    const format = new Intl.DateTimeFormat("sv-SE", {
      timeZone: zone,
      dateStyle: "short",
      timeStyle: "short",
    });
    fc.assert(
      fc.property(
        fc.integer({ min: at("2020-01-01"), max: at("2030-01-01") }),
        (instant) => {
          const expected = format.format(instant).slice(0, 13);
          expect(local(instant)).toBe(expected.replace(" ", "T"));
        },
      ),
      { numRuns: runs(300) },
    );
  }
});

test("the days of a range are counted with both ends, and none are given for what is no range", () => {
  expect(daysBetween("2026-02-27", "2026-03-01", 3)).toEqual([
    "2026-02-27",
    "2026-02-28",
    "2026-03-01",
  ]);
  expect(daysBetween("2026-03-01", "2026-03-01", 1)).toHaveLength(1);
  expect(daysBetween("2026-02-27", "2026-03-01", 2)).toBeUndefined();
  expect(daysBetween("2026-03-02", "2026-03-01", 9)).toBeUndefined();
  expect(daysBetween("yesterday", "2026-03-01", 9)).toBeUndefined();
});

test("a zone is one that this machine knows", () => {
  const isZone = (text: string) => timeZone.safeParse(text).success;
  expect(["UTC", "Asia/Kathmandu"].map(isZone)).toEqual([true, true]);
  for (const none of ["", "Middle/Earth", "x".repeat(65), "+02:00", "-05"])
    expect(isZone(none), none).toBe(false);
});

test("the local time of an instant is to the ms, and a zone that is none is refused", () => {
  const local = createLocalTime("Asia/Kathmandu");
  const at = Date.parse("2026-03-01T20:30:15.250Z");
  expect(new Date(local(at)).toISOString()).toBe("2026-03-02T02:15:15.250Z");
  expect(() => createLocalTime("Nowhere/Land")).toThrow(RangeError);
});
