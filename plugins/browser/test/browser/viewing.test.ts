import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { startBrowserStage } from "@gantry/plugin-testing/browser";
import type { BrowserStage } from "@gantry/plugin-testing/browser";
import { findBarriers } from "@gantry/ui-kit/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRealClock } from "../support/real-clock.ts";
import { hasChromium, testSettings } from "../support/start-pool.ts";
import { packageFolder } from "./support/scripted-stage.ts";
import { serveSite } from "./support/site.ts";
import type { Site } from "./support/site.ts";

const PATIENCE = { timeout: 30_000 };

/** The colour of the picture at a point where the page shows only its background. */
const colourOf = async (page: Page): Promise<number[]> =>
  (await page.evaluate(`(() => {
    const canvas = document.querySelector("canvas");
    const at = [canvas.width - 20, canvas.height - 20, 1, 1];
    return [...canvas.getContext("2d").getImageData(...at).data].slice(0, 3);
  })()`)) as number[];

/** Clicks a point of the page in its picture. */
async function click(page: Page, x: number, y: number): Promise<void> {
  const box = (await page.locator("[data-picture]").boundingBox())!;
  await page.mouse.click(box.x + x, box.y + y);
}

describe.skipIf(!hasChromium)(
  "a page in the work browser",
  { timeout: 120_000 },
  () => {
    const stack = new AsyncDisposableStack();
    let stage: BrowserStage;
    let page: Page;
    let leave: () => Promise<void>;
    let agentId: string;
    let site: Site;

    beforeAll(async () => {
      site = stack.use(await serveSite());
      stage = stack.use(
        await startBrowserStage([], {
          package: packageFolder,
          beside: ["../agents", "../acp", "../practice"],
          clock: createRealClock(),
          settings: {
            agents: { defaultCli: "practice" },
            browser: testSettings,
          },
        }),
      );
      const cwd = join(stage.folder, "work");
      await mkdir(cwd);
      const { body } = await stage.kernel.api.post<{ id: string }>(
        "/api/agents",
        { name: "Ada", cwd, cli: "practice" },
      );
      agentId = body.id;
      ({ page, leave } = await stage.open("/browser"));
    }, 120_000);
    afterAll(async () => {
      await leave?.();
      await stack.disposeAsync();
    });
    const title = () =>
      expect.poll(() => page.locator("[data-tab]").innerText(), PATIENCE);

    test("an address opens a page", async () => {
      const address = page.getByRole("combobox", { name: "Address" });
      await address.fill(site.url);
      await address.press("Enter");
      await title().toBe("Home");
      await page.locator("canvas.bg-white").waitFor();
    });

    test("a click changes the picture", async () => {
      await expect
        .poll(() => colourOf(page), PATIENCE)
        .toEqual([255, 255, 255]);
      await click(page, 100, 50);
      // Compression changes the picture's green slightly.
      await expect
        .poll(async () => {
          const [red = 255, green = 0] = await colourOf(page);
          return red < 40 && green > 90;
        }, PATIENCE)
        .toBe(true);
    });

    test("text is typed, deleted and pasted", async () => {
      await click(page, 100, 140);
      await page.keyboard.type("Grace 1");
      await title().toBe("Typed Grace 1");
      await page.keyboard.press("Backspace");
      await page.keyboard.insertText("é語");
      await title().toBe("Typed Grace é語");
    });

    test("a link leads on, and back leads home", async () => {
      await click(page, 60, 215);
      await title().toBe("Second");
      await page.getByRole("button", { name: "Back" }).click();
      await title().toBe("Home");
    });

    test("text in the page is found", async () => {
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("menuitem", { name: "Find in page" }).click();
      await page
        .getByRole("textbox", { name: "Find in the page" })
        .fill("apple");
      await page.getByText("2 matches").waitFor();
      await page.keyboard.press("Escape");
    });

    test("an element is annotated, and an agent gets it", async () => {
      await page.getByRole("button", { name: "Annotate" }).click();
      await page.getByRole("application").waitFor();
      const box = (await page.locator("[data-picture]").boundingBox())!;
      await page.mouse.move(box.x + 40, box.y + 20);
      await page.locator("[data-outline]").waitFor();
      await page.mouse.click(box.x + 40, box.y + 20);
      const comment = page.getByRole("textbox", { name: "Comment" });
      await comment.fill("Make it larger");
      await page.getByText(/paint/).first().waitFor();
      await page.getByRole("button", { name: "Save annotation" }).click();
      await page.getByRole("button", { name: "Send annotation" }).click();
      await page.getByText("Sent to Ada").waitFor();
      await expect
        .poll(async () => {
          const { body } = await stage.kernel.api.get(
            `/api/agents/${agentId}/messages`,
          );
          return JSON.stringify(body);
        }, PATIENCE)
        .toContain("Make it larger");
      await page.getByRole("button", { name: "Stop annotating" }).click();
    });

    test("a tab that a page opens is shown", async () => {
      // The picture replaces the list of annotations, so an earlier click would land elsewhere.
      let before = "";
      const isSettled = async () => {
        const box = await page.locator("[data-picture]").boundingBox();
        const last = before;
        before = JSON.stringify(box);
        return before === last;
      };
      await expect.poll(isSettled, { ...PATIENCE, interval: 500 }).toBe(true);
      await click(page, 60, 320);
      await expect
        .poll(
          () => page.locator("[data-tab][aria-current]").innerText(),
          PATIENCE,
        )
        .toBe("Second");
      await page.keyboard.press("Shift+F6");
      await page.locator("[data-tab][aria-current]").press("Delete");
      await title().toBe("Home");
    });

    test("beside its conversation an agent is allowed to act, and its tab is live", async () => {
      await page.getByRole("link", { name: "Agents", exact: true }).click();
      await page.getByRole("main").getByRole("link", { name: "Ada" }).click();
      const panel = page.getByRole("region", { name: "Browser" });
      await panel.getByText("Act", { exact: true }).click();
      await panel.getByText("Open pages, click and type").waitFor();
      expect(await findBarriers(page, { within: "aside" })).toEqual([]);
      const { api } = stage.kernel;
      const { body: policies } = await api.get("/api/browser/policies");
      expect(policies).toMatchObject({ items: [{ agentId, tier: "act" }] });
      await api.put(`/api/browser/policies/${agentId}`, {
        tier: "act",
        sites: [new URL(site.url).host],
        ownServers: true,
      });
      const { body: tabs } = await api.get<{ items: { id: string }[] }>(
        "/api/browser/tabs",
      );
      await api.post(`/api/browser/tabs/${tabs.items[0]?.id}/lend`, {
        agentId,
      });
      await panel.getByRole("link", { name: /Home/ }).click();
      await page.locator("canvas.bg-white").waitFor();
      await page.getByText("used by Ada").waitFor({ state: "attached" });
    });

    test("the last tab is closed, and the start page is there", async () => {
      await page.getByRole("button", { name: /^Close / }).click();
      await page.getByRole("heading", { name: "Open a page" }).waitFor();
      await page.getByRole("button", { name: /Home/ }).waitFor();
    });
  },
);
