import { afterEach, expect, test, vi } from "vitest";
import { setDaemonTimeZone } from "../src/host.ts";
import { provenTimeZone, readTimeZone } from "../src/index.ts";

const resolved = Intl.DateTimeFormat.prototype.resolvedOptions;

function nameZone(timeZone: string | undefined): void {
  vi.spyOn(Intl.DateTimeFormat.prototype, "resolvedOptions").mockImplementation(
    function (this: Intl.DateTimeFormat) {
      return { ...resolved.call(this), timeZone: timeZone as string };
    },
  );
}

afterEach(() => {
  vi.restoreAllMocks();
  document.documentElement.removeAttribute("data-daemon-time-zone");
});

test.each(["Europe/Berlin", "UTC", "Etc/GMT-3", "America/Argentina/Ushuaia"])(
  "the browser's zone %s is used",
  (zone) => {
    nameZone(zone);
    setDaemonTimeZone("Asia/Tokyo");
    expect(readTimeZone()).toBe(zone);
  },
);

test.each([
  undefined,
  "",
  "Etc/Unknown",
  "GMT+3",
  "+02:00",
  "Mars/Base",
  " UTC",
])("a browser that says %j uses the daemon's zone", (zone) => {
  nameZone(zone);
  expect(provenTimeZone()).toBeUndefined();
  expect(readTimeZone()).toBe("UTC");
  setDaemonTimeZone("Mars/Base");
  expect(readTimeZone()).toBe("UTC");
  setDaemonTimeZone("Asia/Tokyo");
  expect(readTimeZone()).toBe("Asia/Tokyo");
});
