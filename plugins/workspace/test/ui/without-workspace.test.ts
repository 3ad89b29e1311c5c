import { beforeAll, expect } from "vitest";
import { browserTest, useBench } from "./support/browser-test.ts";
import { chromiumPath } from "./support/e2e.ts";

const bench = useBench(["agents", "acp", "practice"]);
let agentId: string;

beforeAll(async () => {
  if (!chromiumPath) return;
  agentId = (await bench().createAgent({ name: "Clerk" })).id;
});

browserTest("without the plugin an agent has no such tabs", async () => {
  const { page, daemon } = bench();
  await page.goto(`${daemon.url}/agents/${agentId}`);
  const tabs = page.getByRole("navigation", { name: "Agent tabs" });
  await page.getByRole("textbox", { name: /^Message to / }).waitFor();
  expect(await tabs.getByRole("link").allInnerTexts()).toEqual([
    "Conversation",
  ]);
  await page.goto(`${daemon.url}/agents/${agentId}/files`);
  await page.getByText("This page is not available").waitFor();
  await tabs.getByRole("link", { name: "Conversation" }).click();
  await page.getByRole("textbox", { name: /^Message to / }).waitFor();
  bench().expectPeace();
});

browserTest("without the plugin `@` offers no files", async () => {
  const { page, daemon } = bench();
  await page.goto(`${daemon.url}/agents/${agentId}`);
  const message = page.getByRole("textbox", { name: /^Message to / });
  const lists = page.locator("[data-composer-options]");
  // The commands of the CLI show that lists open at all.
  await message.fill("/");
  await lists.waitFor();
  await message.fill("see @re");
  await lists.waitFor({ state: "detached" });
  expect(await message.getAttribute("aria-controls")).toBeNull();
  bench().expectPeace();
});
