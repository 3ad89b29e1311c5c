import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { keepPicture } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import {
  chromiumPath,
  launchBrowser,
  openVisitor,
  pairVisitor,
} from "../support/browser.ts";
import { startDaemon } from "../support/daemon.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const SERVER = `require("node:http").createServer((request, response) => response
  .writeHead(200, { "content-type": "text/html" })
  .end("<!doctype html><title>The shop</title><body style='background:rgb(0,128,0)'><h1>It runs</h1>"))
  .listen(0, "127.0.0.1", function () { console.log(this.address().port); });`;

(chromiumPath === undefined ? test.skip : test)(
  "an agent's server opens with one press, and its page is shown live beside the conversation",
  { tags: ["thorough"] },
  async () => {
    await using folder = await createTemporaryFolder("preview");
    const home = join(folder.path, "home");
    await mkdir(home, { mode: 0o700 });
    await writeFile(
      join(home, "config.json"),
      JSON.stringify({
        settings: { browser: { command: chromiumPath, sandbox: "off" } },
      }),
      { mode: 0o600 },
    );
    await writeFile(join(folder.path, "server.cjs"), SERVER);
    await using daemon = await startDaemon(home);
    const api = await createApiClient(daemon);
    const { body: agent } = await api.call<{ id: string }>(
      ...(["POST", "/api/agents", { name: "Shop", cli: "practice" }] as const),
    );
    await api.call("POST", `/api/agents/${agent.id}/prompt`, {
      // The shell stands for the agent's CLI: what writes to its own output is no server of the agent.
      message: `[[run:node ${join(folder.path, "server.cjs")} | cat]]`,
    });
    const servers = async () =>
      (
        await api.call<{ items: { port: number; url: string }[] }>(
          "GET",
          `/api/browser/servers?agentId=${agent.id}`,
        )
      ).body.items;
    await expect.poll(servers).toHaveLength(1);
    const [server] = await servers();

    await using browser = await launchBrowser();
    const visitor = await openVisitor(browser, daemon, {
      viewport: { width: 1280, height: 900 },
      colorScheme: "light",
    });
    const { page, faults } = visitor;
    await pairVisitor(visitor, daemon);
    await page.goto(`${daemon.url}/agents/${agent.id}/preview`);
    const name = `Open preview of localhost:${server!.port}`;
    await page.getByRole("button", { name }).click();
    const picture = page.getByRole("img", { name: "Live picture of The shop" });
    const isGreen = () =>
      expect
        .poll(() =>
          picture.evaluate((canvas: HTMLCanvasElement) =>
            canvas
              .getContext("2d")!
              .getImageData(canvas.width - 5, canvas.height - 5, 1, 1)
              .data.slice(0, 3)
              .join(),
          ),
        )
        .toMatch(/^[0-3],12\d,[0-3]$/);
    await picture.waitFor();
    await isGreen();
    await keepPicture(page, "browser/preview-1280-light");
    // Nothing was allowed to the agent by that. Once it has a tab of its own, that one is shown.
    const ownTab = () =>
      api.call<{ id: string }>("POST", "/api/browser/tabs", {
        ...{ url: server!.url, agentId: agent.id },
      });
    expect(await ownTab()).toMatchObject({ status: 403 });
    await api.call("PUT", `/api/browser/policies/${agent.id}`, {
      ...{ tier: "act", sites: [new URL(server!.url).host] },
    });
    const { body: own } = await ownTab();
    await page
      .locator(`a[href$="/browser/tabs/${own.id}"]`)
      .filter({ has: picture })
      .waitFor();
    await isGreen();
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 390, height: 844 });
    await picture.scrollIntoViewIfNeeded();
    await isGreen();
    await keepPicture(page, "browser/preview-390-dark");
    expect(faults).toEqual([]);
    const { body } = await api.call<{ items: object[] }>(
      ...(["GET", "/api/browser/tabs"] as const),
    );
    expect(body.items).toMatchObject([
      { url: server!.url, ownerAgentId: null },
      { url: server!.url, ownerAgentId: agent.id },
    ]);
  },
);
