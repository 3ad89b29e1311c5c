import { expect, test } from "vitest";
import { toAddress } from "../../ui/bar/toAddress.ts";
import { toShortAddress } from "../../ui/bar/toShortAddress.ts";

test.each([
  ["example.com", "https://example.com"],
  [" example.com/a?b=c d ", "https://example.com/a?b=c d"],
  ["localhost:5173", "http://localhost:5173"],
  ["127.0.0.1:8080/x", "http://127.0.0.1:8080/x"],
  ["[::1]:3000", "http://[::1]:3000"],
  ["app.localhost", "http://app.localhost"],
  ["devbox:3000", "http://devbox:3000"],
  ["http://example.com", "http://example.com"],
  ["HTTPS://Example.com", "HTTPS://Example.com"],
])("%j opens %s", (text, url) => expect(toAddress(text)).toEqual({ url }));

test.each([
  ["", /Enter an address/],
  ["how to centre a div", /no search engine/],
  ["file:///etc/passwd", /http and https/],
  ["javascript:alert(1)", /http and https/],
  ["chrome://settings", /http and https/],
  ["me@example.com", /no search engine/],
  ["http://", /not valid/],
])("%j opens nothing", (text, problem) => {
  expect(toAddress(text)).toEqual({ problem: expect.stringMatching(problem) });
});

test("an address is shown without its self-evident parts", () => {
  expect(toShortAddress("https://example.com/")).toBe("example.com");
  expect(toShortAddress("http://localhost:5173/a")).toBe("localhost:5173/a");
  expect(toShortAddress("about:blank")).toBe("");
});
