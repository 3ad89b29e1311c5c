import { execFile } from "node:child_process";
import { expect, test } from "vitest";
import { lastOutput } from "../../src/wire/last-output.ts";

/** Output of a Node program that crashes. */
const crash = (code: string) =>
  new Promise<string>((resolve) => {
    execFile(process.execPath, ["-e", code], (_error, _stdout, stderr) =>
      resolve(stderr),
    );
  });

test("a crash is reported with its message, without the stack", async () => {
  const said = lastOutput(
    await crash(
      `function deep() { throw new Error("No API key is set."); } deep();`,
    ),
  );
  expect(said).toContain("Error: No API key is set.");
  expect(said).not.toMatch(/\n\s+at |node:|Node\.js v|\^/);
});

test("other output is kept unchanged, limited to its end", () => {
  expect(lastOutput("Usage: agent\n\n  Log in at first\n")).toBe(
    "Usage: agent\n  Log in at first",
  );
  expect(lastOutput(`${"x".repeat(600)} end`)).toMatch(/^x{496} end$/);
  expect(lastOutput("\n")).toBe("");
});
