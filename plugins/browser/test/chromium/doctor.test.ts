import { randomBytes } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import doctor from "@gantry/plugin-doctor";
import { startTestKernel } from "@gantry/plugin-testing";
import { expect, onTestFinished, test } from "vitest";
import plugin from "../../src/index.ts";

/** The doctor's findings about the browser. */
async function findings(
  settings: object,
): Promise<{ code: string; what: string }[]> {
  await using kernel = await startTestKernel([plugin, doctor], {
    settings: { browser: settings },
  });
  const { body } = await kernel.api.get<{
    findings: { code: string; what: string }[];
  }>("/api/doctor");
  return body.findings.filter(({ code }) => code.startsWith("BROWSER_"));
}

test("the doctor says if there is no browser, and if one runs without its sandbox", async () => {
  const found = await findings({
    command: "/nowhere/chromium",
    sandbox: "off",
  });
  expect(found.map(({ code }) => code)).toEqual(
    expect.arrayContaining(["BROWSER_MISSING", "BROWSER_SANDBOX_OFF"]),
  );
});

test.runIf(process.getuid?.() === 0)(
  "the doctor names profiles whose home is gone",
  async () => {
    // Only the first ones are named, whatever else is on this machine.
    const folder = `/var/lib/gantry-000000${randomBytes(3).toString("hex")}`;
    await mkdir(folder);
    onTestFinished(() => rm(folder, { recursive: true }));
    const names = async () =>
      (await findings({}))
        .filter(({ code }) => code === "BROWSER_PROFILES_LEFT")
        .some(({ what }) => what.includes(folder));
    await writeFile(join(folder, "home"), "/nowhere/home");
    expect(await names()).toBe(true);
    await writeFile(join(folder, "home"), "/tmp");
    expect(await names()).toBe(false);
  },
);
