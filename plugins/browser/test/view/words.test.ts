import { expect, test } from "vitest";
import { toAddress } from "../../src/view/address.ts";
import { cleanFileName } from "../../src/view/download-files.ts";
import { describeLoadError } from "../../src/view/page-errors.ts";
import { toVirtualKeyCode } from "../../src/view/virtual-keys.ts";

test.each([
  ["report.pdf", "report.pdf"],
  ["../../etc/passwd", "passwd"],
  ["C:\\Users\\a\\b.txt", "b.txt"],
  [".bashrc", "bashrc"],
  ["photo\u202Egnp.exe", "photognp.exe"],
  ["a\nb\u0000.txt", "ab.txt"],
  ["NUL.txt", "_NUL.txt"],
  ["...", "download"],
  ["", "download"],
])("the file name %j becomes %j", (suggested, clean) => {
  expect(cleanFileName(suggested)).toBe(clean);
});

test("a long name keeps its extension", () => {
  expect(cleanFileName(`${"x".repeat(400)}.tar.gz`)).toMatch(/^x{150}\.gz$/);
});

test.each([
  ["https://a.test/b", "https://a.test/b"],
  ["a.test", "https://a.test"],
  ["http://localhost:5173", "http://localhost:5173"],
  ["localhost:5173", "http://localhost:5173"],
])("the address %s opens %s", (text, url) => {
  expect(toAddress(text)).toEqual({ url });
});

test.each([
  "two words",
  "",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "chrome://version",
  "data:text/html,x",
  "about:blank",
])("%j is not opened", (text) => {
  expect(toAddress(text)).toHaveProperty("problem");
});

test("network errors are described", () => {
  expect(describeLoadError("net::ERR_NAME_NOT_RESOLVED")).toContain("no site");
  expect(describeLoadError("net::ERR_CERT_AUTHORITY_INVALID")).toContain(
    "certificate",
  );
  expect(describeLoadError("net::ERR_NEW")).toContain("net::ERR_NEW");
});

test("keys have their legacy codes, on other layouts too", () => {
  expect(toVirtualKeyCode("Enter", "Enter")).toBe(13);
  expect(toVirtualKeyCode("a", "KeyA")).toBe(65);
  expect(toVirtualKeyCode("ф", "KeyA")).toBe(65);
  expect(toVirtualKeyCode("F5", "F5")).toBe(116);
  expect(toVirtualKeyCode("constructor", "toString")).toBe(0);
});
