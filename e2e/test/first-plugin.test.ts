import { afterAll, beforeAll, expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import {
  chromiumPath,
  launchBrowser,
  openVisitor,
  pairVisitor,
} from "../support/browser.ts";
import { startDaemon } from "../support/daemon.ts";
import { followGuide } from "../support/first-plugin.ts";
import type { GuideReader } from "../support/first-plugin.ts";

let reader: GuideReader;

beforeAll(async () => {
  reader = await followGuide();
  await reader.run("mkdir -p");
  await reader.run("pnpm install");
});
afterAll(() => reader[Symbol.asyncDispose]());

test("each command of the guide is run here, but for those that start and build the checkout", () => {
  expect(reader.commands.map((code) => code.split("\n")[0])).toEqual([
    "npm --prefix ~/code/gantry start",
    'export PATH="$HOME/code/gantry/tooling/bootstrap/node_modules/.bin:$PATH"',
    "mkdir -p ~/code/notes/src ~/code/notes/ui/pages ~/code/notes/test",
    "pnpm install",
    "pnpm test",
    "npm pack",
    expect.stringMatching(/^curl /) as string,
  ]);
});

// It takes as long as a run of vitest does.
test("the plugin of the guide passes the tests that the guide shows", async () => {
  expect(await reader.run("pnpm test")).toMatch(/Tests +7 passed/);
});

test(
  "the plugin of the guide is built, packed, installed into a running daemon, and called",
  { tags: "thorough" },
  async () => {
    await using daemon = await startDaemon(reader.home);
    expect(await reader.run("npm pack")).toContain(
      "notes 1.0.0 (home): active",
    );
    await reader.run("curl ", (command) =>
      command.replace("http://127.0.0.1:7420", daemon.base),
    );
    const api = await createApiClient(daemon);
    expect(await api.call("GET", "/api/notes")).toMatchObject({
      body: { items: [{ title: "Milk" }] },
    });

    if (chromiumPath === undefined) return;
    await using browser = await launchBrowser();
    const visitor = await openVisitor(browser, daemon);
    await pairVisitor(visitor, daemon);
    const { page, faults } = visitor;
    await page.getByRole("link", { name: "Notes" }).click();
    await page.getByText("Milk").waitFor();
    await page.getByLabel("Title").fill("Bread");
    await page.getByRole("button", { name: "Add note" }).click();
    await page.getByText("Bread").waitFor();
    expect(faults).toEqual([]);
  },
);
