import { expect, test } from "vitest";
import { toShortAddress } from "../../ui/bar/toShortAddress.ts";

test("an address is shown without its self-evident parts", () => {
  expect(toShortAddress("https://example.com/")).toBe("example.com");
  expect(toShortAddress("http://localhost:5173/a")).toBe("localhost:5173/a");
  expect(toShortAddress("about:blank")).toBe("");
});
