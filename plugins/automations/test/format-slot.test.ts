import { expect, test } from "vitest";
import { formatSlot } from "../ui/automations/formatSlot.ts";

const newYearsEve = Date.parse("2026-12-31T22:59:00.000Z");
const utc = (moment: string) =>
  formatSlot(moment, newYearsEve, "UTC").replaceAll(/\s+/g, " ");

test("a time within six days is its weekday, also in another year", () => {
  expect(utc("2027-01-01T08:01:00.000Z")).toBe("Fri 08:01");
  expect(utc("2026-12-31T23:00:00.000Z")).toBe("Thu 23:00");
});

test("one that is further away has its date, and its year if that is another", () => {
  const far = utc("2027-01-08T08:01:00.000Z");
  for (const part of ["2027", "Jan", "8", "08:01"]) expect(far).toContain(part);
  const summer = Date.parse("2026-07-01T00:00:00.000Z");
  const near = formatSlot("2026-07-20T08:01:00.000Z", summer, "UTC");
  expect(near).toContain("Jul");
  expect(near).not.toContain("2026");
});
