import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import type { ApiClient } from "../support/api-client.ts";
import {
  chromiumPath,
  launchBrowser,
  openVisitor,
  pairVisitor,
} from "../support/browser.ts";
import { runGantry, startDaemon } from "../support/daemon.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const FIXTURE = fileURLToPath(
  new URL("../fixtures/shopping-list", import.meta.url),
);
const ADDRESS = "/api/apps/shopping-list";

/** Packs the fixture as its author would, with `npm pack`. */
async function pack(folder: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    "npm",
    ["pack", "--silent", "--pack-destination", folder],
    { cwd: FIXTURE },
  );
  return join(folder, stdout.trim());
}

/** The app as the list of apps has it. */
async function findApp(api: ApiClient): Promise<object | undefined> {
  const { body } = await api.call<{ items: { id: string }[] }>(
    "GET",
    "/api/apps",
  );
  return body.items.find(({ id }) => id === "shopping-list");
}

test("an app from a tarball is there at once, and goes with its plugin", async () => {
  await using folder = await createTemporaryFolder("third-party-app");
  const home = join(folder.path, "home");
  const tarball = await pack(folder.path);
  await using daemon = await startDaemon(home);
  const api = await createApiClient(daemon);
  expect(await findApp(api)).toBeUndefined();
  expect((await api.call("GET", `${ADDRESS}/view`)).status).toBe(404);

  expect(
    (await runGantry("plugins", "add", tarball, "--home", home)).output,
  ).toContain("shopping-list 1.0.0 (home): active");
  expect(await findApp(api)).toMatchObject({
    plugin: "shopping-list",
    badge: { text: "0" },
  });
  const add = (item: string) =>
    api.call("POST", `${ADDRESS}/action`, {
      action: "add",
      args: { values: { item } },
    });
  expect(await add("Milk")).toMatchObject({
    status: 200,
    body: { toast: { text: "Still to buy: 1." } },
  });
  expect(await add(" ")).toMatchObject({
    status: 409,
    body: {
      code: "APP_REFUSED",
      detail: "The app shopping-list refused: An item has 1 to 100 characters.",
    },
  });
  expect((await api.call("GET", `${ADDRESS}/view`)).body).toMatchObject({
    blocks: [{ type: "list", rows: [{ title: "Milk" }] }, { type: "form" }],
  });

  expect(
    (await runGantry("plugins", "remove", "shopping-list", "--home", home))
      .output,
  ).toContain("Removed shopping-list");
  expect(await findApp(api)).toBeUndefined();
  expect((await api.call("GET", `${ADDRESS}/view`)).status).toBe(404);
});

test.skipIf(chromiumPath === undefined)(
  "its page is drawn in an open browser, and goes, without a reload",
  async () => {
    await using folder = await createTemporaryFolder("third-party-app-page");
    const home = join(folder.path, "home");
    const tarball = await pack(folder.path);
    await using daemon = await startDaemon(home);
    await using browser = await launchBrowser();
    const visitor = await openVisitor(browser, daemon);
    const { page, faults, stray } = visitor;
    await pairVisitor(visitor, daemon);
    await page.evaluate(() => Object.assign(window, { sameDocument: true }));
    await page.getByRole("link", { name: "Apps", exact: true }).click();
    await page.getByRole("heading", { name: "Apps" }).waitFor();

    await runGantry("plugins", "add", tarball, "--home", home);
    const tile = page.getByRole("link", { name: /^Shopping list/ });
    await tile.click();
    await page.getByRole("heading", { name: "Shopping list" }).waitFor();
    await page.getByText("Nothing here.").waitFor();
    await page.getByRole("textbox", { name: "Item" }).fill("Milk");
    await page.getByRole("button", { name: "Add item" }).click();
    await page.getByText("Still to buy: 1.").first().waitFor();
    await page.getByText("Milk", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: /^Bought/ }).click();
    await page.getByText("Nothing here.").waitFor();

    await page.getByRole("link", { name: "Apps", exact: true }).first().click();
    await tile.waitFor();
    await runGantry("plugins", "remove", "shopping-list", "--home", home);
    await tile.waitFor({ state: "detached" });
    expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
    expect(faults).toEqual([]);
    expect(stray).toEqual([]);
  },
);
