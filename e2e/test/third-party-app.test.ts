import { expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import type { ApiClient } from "../support/api-client.ts";
import { chromiumPath } from "../support/browser.ts";
import { runGantry, startDaemon } from "../support/daemon.ts";
import {
  openPageWithout,
  packThirdPartyPlugin,
} from "../support/third-party-plugin.ts";

const ADDRESS = "/api/apps/shopping-list";

/** The app as the list of apps has it. */
async function findApp(api: ApiClient): Promise<object | undefined> {
  const { body } = await api.call<{ items: { id: string }[] }>(
    "GET",
    "/api/apps",
  );
  return body.items.find(({ id }) => id === "shopping-list");
}

test(
  "an app from a tarball is there at once, and goes with its plugin",
  { tags: "thorough" },
  async () => {
    await using plugin = await packThirdPartyPlugin("shopping-list");
    const { home, tarball } = plugin;
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
        detail:
          "The app shopping-list refused: An item has 1 to 100 characters.",
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
  },
);

(chromiumPath === undefined ? test.skip : test)(
  "its page is drawn in an open browser, and goes, without a reload",
  { tags: "thorough" },
  async () => {
    await using plugin = await openPageWithout("shopping-list");
    const { home, tarball, visitor, isReloaded } = plugin;
    const { page, faults, stray } = visitor;
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
    expect(await isReloaded()).toBe(false);
    expect(faults).toEqual([]);
    expect(stray).toEqual([]);
  },
);
