import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CONTRACT_VERSION } from "@gantry/plugin";
import { expect, test } from "vitest";
import { startTestKernel } from "../../../testing/src/index.ts";
import { refusalOfVersion } from "@gantry/system/plugin-packages/contract-version";
import { pluginCode, putPlugin } from "../support/daemon.ts";
import { temporaryFolder } from "@gantry/build/testing";

/** Puts a plugin into a home whose manifest names a version of the contract. */
async function putWithVersion(home: string, name: string, api: unknown) {
  await putPlugin(home, name, pluginCode(name));
  const file = join(home, "plugins", name, "package.json");
  const manifest = JSON.parse(await readFile(file, "utf8")) as {
    gantry: object;
  };
  const gantry = { ...manifest.gantry, api };
  await writeFile(file, JSON.stringify({ ...manifest, gantry }));
}

test("a plugin runs if the daemon has the minor version that it needs, and is refused with the reason otherwise", async () => {
  const home = await temporaryFolder();
  await putWithVersion(home, "plain", 1);
  await putWithVersion(home, "fits", CONTRACT_VERSION);
  await putWithVersion(home, "newer", "1.9999");
  await putWithVersion(home, "none", undefined);
  await putWithVersion(home, "other", 2);
  await using kernel = await startTestKernel([], { home });
  kernel.expectFault(/Plugin not loaded/);
  const { body } = await kernel.api.get<{ items: object[] }>("/api/plugins");
  const unknown = `its package.json does not fit: "gantry.api": must be 1, or a text with a minor version such as "${CONTRACT_VERSION}", which is that of this daemon`;
  expect(body.items).toMatchObject([
    { id: "fits", state: "active" },
    {
      id: "newer",
      state: "failed",
      reason: `its package.json does not fit: "gantry.api": it needs version 1.9999 of the plugin contract, and this daemon has ${CONTRACT_VERSION}; update Gantry`,
    },
    { id: "none", state: "failed", reason: unknown },
    { id: "other", state: "failed", reason: unknown },
    { id: "plain", state: "active" },
  ]);
});

test.each([
  [1, true],
  ["1.0", true],
  ["1.9", true],
  ["1.10", true],
  ["1.11", false],
  ["1.100", false],
  ["2.0", false],
  ["1", false],
  [1.1, false],
  ["1.01", false],
  ["1.1.0", false],
  ["v1.1", false],
  [undefined, false],
  [null, false],
  [["1.1"], false],
])("version 1.10 of the contract serves a plugin for %j: %s", (api, fits) => {
  expect(refusalOfVersion(api, "1.10") === undefined).toBe(fits);
});
