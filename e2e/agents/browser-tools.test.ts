import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, keepScreenshot } from "../support/browser.ts";
import { startBrowsingStage } from "../support/browsing-stage.ts";
import type { BrowsingStage } from "../support/browsing-stage.ts";
import { REAL_CLIS } from "../support/cli-users.ts";
import type { RealCli } from "../support/cli-users.ts";

const SHOP = `<!doctype html><title>The shop</title><h1>The shop</h1>
<button onclick="this.textContent = 'Bought'; document.title = 'Thank you'">Buy</button>`;

/** A dev server that an agent is told to use. */
async function startShop() {
  const server = createServer((_request, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end(SHOP),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    host: `localhost:${port}`,
    url: `http://localhost:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe
  .skipIf(chromiumPath === undefined)
  .each(REAL_CLIS.map((cli) => [cli.title, cli] as const))(
  "the real %s in the work browser",
  (_title, cli: RealCli) => {
    let shop: Awaited<ReturnType<typeof startShop>>;
    let stage: BrowsingStage | undefined;

    beforeAll(async () => {
      shop = await startShop();
      stage = await startBrowsingStage(cli);
    });
    afterAll(async () => {
      await stage?.[Symbol.asyncDispose]();
      await shop?.[Symbol.asyncDispose]();
    });

    // What the page looked like says more than a locator that found nothing.
    afterEach(async ({ task }) => {
      if (task.result?.state === "fail" && stage)
        await keepScreenshot(stage.page, `failed-browser-tools-${cli.name}`);
    });

    test("it opens a page when its user allows the site, reads it and clicks, and all of that is seen", async ({
      skip,
    }) => {
      if (!stage) return skip();
      const { page, say, list, resultBefore } = stage;
      const agent = await stage.createAgent({ tier: "act", sites: [] });
      const call = (tool: string, input: object) =>
        `[[toolj:${cli.toTool(tool)}:${JSON.stringify(input)}]]`;
      const said = (text: string) =>
        stage!.conversation().getByText(text, { exact: true }).waitFor();
      const picture = (title: string) =>
        page.getByRole("img", { name: `Live picture of ${title}` }).waitFor();

      await say(
        `Look at the shop. ${call("browser_navigate", { to: shop.url })}[[reply:It is open.]]`,
      );
      const question = page.getByRole("region", {
        name: `This agent wants to open ${shop.host}`,
      });
      await question.getByText(shop.url).waitFor();
      await question.getByRole("button", { name: "Always allow" }).click();
      await said("It is open.");
      await question.waitFor({ state: "detached" });
      const opened = await resultBefore("It is open.");
      const ref = /button "Buy" \[ref=(e\d+)\]/.exec(opened)?.[1];
      expect(ref, opened).toBeDefined();
      await picture("The shop");

      await say(
        `Buy it. ${call("browser_click", { ref })}${call("browser_screenshot", {})}${call("browser_snapshot", {})}[[reply:It is bought.]]`,
      );
      await said("It is bought.");
      expect(await resultBefore("It is bought.")).toContain('button "Bought"');
      await picture("Thank you");
      const steps = stage
        .conversation()
        .getByRole("button", { name: /^(Opened|Clicked|Took|Read) / });
      expect(await steps.allInnerTexts()).toEqual([
        `Opened\n${shop.url}`,
        'Clicked\nbutton "Buy"',
        "Took a picture of the page",
        "Read the page",
      ]);
      await page
        .getByRole("list", { name: "Tabs of this agent" })
        .getByRole("link", { name: "Thank you" })
        .waitFor();
      expect(await list("/api/browser/tabs")).toMatchObject([
        { url: shop.url, title: "Thank you", ownerAgentId: agent.id },
      ]);
      const entries = await list<{ kind: string; text: string }>(
        `/api/agents/${agent.id}/messages`,
      );
      const textsOf = (wanted: string) =>
        entries.filter(({ kind }) => kind === wanted).map(({ text }) => text);
      expect(textsOf("error")).toEqual([]);
      // The newest first: each is what the tool said, without the JSON of any wire.
      const snapshot = /^<(page-\w+)>\n(The shop|Thank you)\n[^]+<\/\1>$/;
      expect(textsOf("tool")).toEqual([
        expect.stringMatching(snapshot),
        expect.stringMatching(/^\s*\[image[^\]]*\]$/i),
        expect.stringMatching(snapshot),
        expect.stringMatching(snapshot),
      ]);
      expect(stage.visitor.faults).toEqual([]);
    });

    test("tools that are allowed later are used in the same conversation", async ({
      skip,
    }) => {
      if (!stage) return skip();
      const { api, say, conversation, resultBefore } = stage;
      const { id } = await stage.createAgent({ tier: "read", sites: [] });
      await say("Hello. [[reply:I am here.]]");
      await conversation().getByText("I am here.", { exact: true }).waitFor();
      await api.call("PUT", `/api/browser/policies/${id}`, {
        ...{ tier: "act", sites: [shop.host] },
      });
      const state = async () =>
        (await api.call<{ state: string }>("GET", `/api/agents/${id}`)).body
          .state;
      // It ignores the announcement, so it is opened again with its next message.
      if (cli.name === "codex") await expect.poll(state).toBe("closed");
      const input = JSON.stringify({ to: shop.url });
      await say(
        `Open it. [[toolj:${cli.toTool("browser_navigate")}:${input}]][[reply:It is there.]]`,
      );
      expect(await resultBefore("It is there.")).toContain("The shop");
    });
  },
);
