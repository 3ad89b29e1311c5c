import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium } from "../support/start-pool.ts";
import { attackPages, WAYS } from "./support/attack-page.ts";
import { openFencedBrowser, SITES } from "./support/fenced-browser.ts";
import type { FencedBrowser } from "./support/fenced-browser.ts";

/** Some Chromium versions do not try every technique, and names that resolve to this machine are always refused. */
const MIN_WAYS = Math.floor(WAYS.length * 0.6);
const MAX_OPEN = 4;
const PATIENCE = { timeout: 60_000 };

describe.skipIf(!hasChromium)("ways of a page to Gantry", () => {
  let world: FencedBrowser;
  beforeAll(async () => {
    world = await openFencedBrowser(attackPages);
    // An agent's own server, so that a page also has service workers.
    world.rules.localPorts = new Set([world.internet.sitePort]);
  });
  afterAll(() => world?.close());

  /** Opens the attacking page, and closes it once `isDone` reports that its techniques have been tried. */
  async function attack(isDone: () => number): Promise<string> {
    const home = `http://localhost:${world.internet.sitePort}`;
    const tab = await world.openUserTab(`${home}/blank`);
    await tab.send("Page.navigate", { url: `${home}/attack` });
    // Waits for everything that the page can wait for, except requests that some Chromium versions never answer.
    await expect
      .poll(() => tab.evaluate("globalThis.countOpen?.() ?? 99"), PATIENCE)
      .toBeLessThanOrEqual(MAX_OPEN);
    await expect.poll(isDone, PATIENCE).toBeGreaterThanOrEqual(MIN_WAYS);
    const candidates = await tab.evaluate("gathered");
    const before = isDone();
    await tab.evaluate("download()");
    await expect.poll(isDone, PATIENCE).toBeGreaterThan(before);
    await tab.go(`${home}/blank`);
    await expect.poll(isDone, PATIENCE).toBeGreaterThan(before + 1);
    return String(candidates);
  }

  test.each([
    ["some sites", { sites: SITES }],
    ["all sites", { sites: ["*"] }],
  ])("none gets there where an agent may open %s", async (_, { sites }) => {
    world.rules.sites = sites;
    world.refused.length = 0;
    const candidates = await attack(() => world.refused.length);
    expect([...world.internet.reached]).toEqual([]);
    // WebRTC finds no address to send packets from.
    expect(candidates).toBe("");
  });

  test("most get there without the fence", async () => {
    world.gantryPorts.clear();
    Object.assign(world.rules, { sites: ["*"], localPorts: "all" });
    await attack(() => world.internet.reached.size);
    for (const way of [
      "fetch",
      "websocket",
      "redirect-iframe",
      "worker",
      "css",
    ])
      await expect.poll(() => world.internet.reached, PATIENCE).toContain(way);
    expect(world.internet.reached).not.toContain("udp");
  });
});
