import { randomBytes } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FAKE, startBrowsing } from "../support/start-browsing.ts";

const isRoot = process.getuid?.() === 0;

/** The doctor's findings about the browser. */
async function findings(settings: object) {
  await using bench = await startBrowsing(settings);
  const { body } = await bench.api.get<{
    findings: { code: string; what: string; fix: string }[];
  }>("/api/doctor");
  return body.findings.filter(({ code }) => code.startsWith("BROWSER_"));
}

test("the doctor says if there is no browser, and if it runs without its sandbox", async () => {
  const { command } = FAKE;
  const found = async (settings: object) =>
    (await findings(settings))
      .map(({ code }) => code)
      .filter((code) => code !== "BROWSER_PROFILES_LEFT");
  expect(await found({ command })).toEqual([]);
  expect(await found({ command: "/nowhere/chromium", sandbox: "off" })).toEqual(
    ["BROWSER_SANDBOX_OFF", "BROWSER_MISSING"],
  );
});

(isRoot ? test : test.skip)(
  "the doctor names profiles whose home is gone",
  async () => {
    // It is among the first of its kind, which are those that a finding names.
    const folder = `/var/lib/gantry-000000${randomBytes(3).toString("hex")}`;
    await mkdir(folder);
    onTestFinished(() => rm(folder, { recursive: true }));
    const isNamed = async () =>
      (await findings({ command: FAKE.command })).some(({ what }) =>
        what.includes(folder),
      );
    await writeFile(join(folder, "home"), "/nowhere/home");
    expect(await isNamed()).toBe(true);
    await writeFile(join(folder, "home"), "/tmp");
    expect(await isNamed()).toBe(false);
  },
);
