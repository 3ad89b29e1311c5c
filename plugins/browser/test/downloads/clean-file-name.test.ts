import { runs } from "@gantry/build/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanFileName } from "../../src/downloads/clean-file-name.ts";
import { anyText } from "../support/any-text.ts";

test("names of files keep what is safe of them", () => {
  const names = {
    "report.pdf": "report.pdf",
    "../../etc/passwd": "passwd",
    "C:\\temp\\a b.txt": "a b.txt",
    "photo\u202egpj.exe": "photogpj.exe",
    ".bashrc": "bashrc",
    "con.txt": "_con.txt",
    "a<b>:c?.zip": "abc.zip",
    "..": "download",
    "\u200b": "download",
    [`${"x".repeat(300)}.tar`]: `${"x".repeat(150)}.tar`,
  };
  for (const [suggested, clean] of Object.entries(names))
    expect(cleanFileName(suggested)).toBe(clean);
});

test("a name is never empty, hidden, long or a path", () => {
  fc.assert(
    fc.property(anyText(400), (suggested) => {
      const name = cleanFileName(suggested);
      expect(name).toMatch(/^[^.\s/\\\p{C}][^/\\\p{C}]*$/u);
      expect(name.length).toBeLessThanOrEqual(171);
    }),
    { numRuns: runs(1_000) },
  );
});
