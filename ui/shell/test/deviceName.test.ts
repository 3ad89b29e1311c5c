import { expect, test } from "vitest";
import { toDeviceName } from "../app/shell/deviceName.ts";
import {
  isWhole,
  readLinkCode,
  toCode,
  toGroups,
} from "../app/shell/pairingCode.ts";

test.each([
  [
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Firefox on Linux",
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15",
    "Safari on Mac",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140 Mobile Safari/604.1",
    "Chrome on iPhone",
  ],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0",
    "Edge on Windows",
  ],
  [
    "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36",
    "Chrome on Android",
  ],
  ["something else", "Browser"],
])("%s is %s", (userAgent, name) => {
  expect(toDeviceName(userAgent)).toBe(name);
});

test("the brand that a browser gives itself goes before what it pretends to be", () => {
  const brands = [
    { brand: "Not)A;Brand" },
    { brand: "Chromium" },
    { brand: "Brave" },
  ];
  expect(
    toDeviceName("Mozilla/5.0 (X11; Linux x86_64) Chrome/140", {
      brands,
      platform: "Linux",
    }),
  ).toBe("Brave on Linux");
});

test("codes are read as people type them", () => {
  expect(toCode(" abcd-efgh_jk lm  and more")).toBe("ABCDEFGHJKLM");
  expect(toGroups("ABCDEFGHJ")).toBe("ABCD-EFGH-J");
  expect(toGroups("")).toBe("");
  expect([isWhole("ABCDEFGHJKLM"), isWhole("ABC")]).toEqual([true, false]);
  expect(readLinkCode("#code=abc&x=1")).toBe("abc");
  expect(readLinkCode(" http://gantry.localhost:7420/pair#code=aB-_9 ")).toBe(
    "aB-_9",
  );
  expect(readLinkCode("ABCD-EFGH-JKLM")).toBeUndefined();
  expect(readLinkCode("")).toBeUndefined();
});
