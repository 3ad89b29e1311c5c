import fc from "fast-check";
import { expect, test } from "vitest";
import {
  createLocalHours,
  createLocalTime,
  daysBetween,
} from "../src/calendar.ts";

const at = (time: string) => Date.parse(time);

test("an instant becomes the local hour of a zone, also with an offset of half or a quarter of an hour", () => {
  const hour = (zone: string, time: string) => createLocalHours(zone)(at(time));
  expect(hour("UTC", "2026-03-01T23:59:59.999Z")).toBe("2026-03-01T23");
  expect(hour("Europe/Berlin", "2026-03-01T23:00:00Z")).toBe("2026-03-02T00");
  expect(hour("Asia/Kolkata", "2026-03-01T18:30:00Z")).toBe("2026-03-02T00");
  expect(hour("Asia/Kathmandu", "2026-03-01T18:14:59Z")).toBe("2026-03-01T23");
  expect(hour("America/New_York", "2026-03-01T04:59:00Z")).toBe(
    "2026-02-28T23",
  );
});

test("hours are right on the days when daylight saving time begins and ends", () => {
  const berlin = createLocalHours("Europe/Berlin");
  expect(berlin(at("2026-03-29T00:59:00Z"))).toBe("2026-03-29T01");
  expect(berlin(at("2026-03-29T01:00:00Z"))).toBe("2026-03-29T03");
  expect(berlin(at("2026-10-25T00:30:00Z"))).toBe("2026-10-25T02");
  expect(berlin(at("2026-10-25T01:30:00Z"))).toBe("2026-10-25T02");
});

test("it agrees with the zone's formatter at any instant", () => {
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
      { numRuns: 300 },
    );
  }
});

test("a range of days includes both ends, and an invalid range is undefined", () => {
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

test("the local time is exact to the ms, and an unknown zone throws", () => {
  const local = createLocalTime("Asia/Kathmandu");
  const at = Date.parse("2026-03-01T20:30:15.250Z");
  expect(new Date(local(at)).toISOString()).toBe("2026-03-02T02:15:15.250Z");
  expect(() => createLocalTime("Nowhere/Land")).toThrow(RangeError);
});
