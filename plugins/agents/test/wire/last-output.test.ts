import { execFile } from "node:child_process";
import { expect, test } from "vitest";
import { lastOutput } from "../../src/wire/last-output.ts";

/** What a Node program says when it crashes. */
const crash = (code: string) =>
  new Promise<string>((resolve) => {
    execFile(process.execPath, ["-e", code], (_error, _stdout, stderr) =>
      resolve(stderr),
    );
  });

test("of a crash the reason is left, not the stack", async () => {
  const said = lastOutput(
    await crash(
      `function deep() { throw new Error("No API key is set."); } deep();`,
    ),
  );
  expect(said).toContain("Error: No API key is set.");
  expect(said).not.toMatch(/\n\s+at |node:|Node\.js v|\^/);
});

test("what a program says of itself is left as it is, the end of it", () => {
  expect(lastOutput("Usage: agent\n\n  Log in at first\n")).toBe(
    "Usage: agent\n  Log in at first",
  );
  expect(lastOutput(`${"x".repeat(600)} end`)).toMatch(/^x{496} end$/);
  expect(lastOutput("\n")).toBe("");
});
