import { isLongRun } from "@gantry/build/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium } from "../support/start-pool.ts";
import type { AgentDriver } from "./support/agent-driver.ts";
import { toEscapeRows } from "./support/escape-rows.ts";
import type { EscapeRow } from "./support/escape-rows.ts";
import { openFencedBrowser, SITES } from "./support/fenced-browser.ts";
import type { FencedBrowser } from "./support/fenced-browser.ts";

const APP = "http://site.test/app";
const pages = () => ({
  "/app": "<!doctype html><title>app</title><h1>app</h1><input type=file id=f>",
  "/user": "<title>page of the user</title>",
});
/** Tiers and sites under which rows are tried: each row under one of them, in long runs under all. */
const SETTINGS = [
  { tier: "full", sites: SITES },
  { tier: "act", sites: SITES },
  { tier: "full", sites: ["*"] },
  { tier: "act", sites: ["*"] },
] as const;

describe.skipIf(!hasChromium)("escapes through the protocol", () => {
  let world: FencedBrowser;
  let agent: AgentDriver;
  let tab: { targetId: string; sessionId: string };
  let user: { targetId: string; sessionId: string };
  beforeAll(async () => {
    world = await openFencedBrowser(pages);
    user = await world.openUserTab("http://site.test/user");
    agent = await world.connect();
    tab = await agent.openTab(APP);
  });
  afterAll(() => world?.close());

  /** Tries one row and returns what stopped it, or what it reached. */
  async function attempt(row: EscapeRow): Promise<string> {
    const refusals = world.refused.length;
    const session = row.level === "page" ? tab.sessionId : undefined;
    const { error, result } = await agent.call(row.method, row.params, session);
    if (error?.message.startsWith("Gantry:")) return "guard";
    if (JSON.stringify(result ?? {}).includes("/user"))
      return "it saw the user's tab";
    if (row.by === "egress") {
      await expect
        .poll(() => world.refused.length, { timeout: 60_000 })
        .toBeGreaterThan(refusals);
      return "egress";
    }
    const hasContent = Object.keys(result ?? {}).length > 0;
    const mayAnswer =
      row.mayAnswer ||
      row.method === "Target.getTargets" ||
      row.method === "Target.getTargetInfo";
    return hasContent && !mayAnswer
      ? `it was answered ${JSON.stringify(result).slice(0, 80)}`
      : row.by;
  }

  /** Resets the tab, so that the effects of a row do not carry over to the next one. */
  async function renewTab(): Promise<void> {
    for (const { targetId } of world.guard.ownTabs("agt_1"))
      await world.browser.protocol
        .send("Target.closeTarget", { targetId })
        .catch(() => undefined);
    Object.assign(world.rules, { tier: "full", sites: SITES });
    tab = await agent.openTab(APP);
  }

  async function tryAll(
    rows: readonly EscapeRow[],
    settingOf: (at: number) => number,
  ) {
    const outcome: Record<string, string[]> = {};
    for (const [at, row] of rows.entries()) {
      const setting = SETTINGS[settingOf(at) % SETTINGS.length]!;
      Object.assign(world.rules, setting);
      const by = await attempt(row);
      const isScript =
        row.method === "Runtime.evaluate" || row.method.startsWith("Fetch.");
      const expected = setting.tier === "act" && isScript ? "guard" : row.by;
      const urls = await world.urls();
      const isOut = urls.filter(
        (url) => !/^(http:|https:|about:blank|blob:|chrome-error:|$)/.test(url),
      );
      if (by !== expected || isOut.length > 0)
        (outcome[row.name] ??= []).push(
          `${setting.tier} ${setting.sites.join()}: ${by}, not ${expected} ${isOut.join()}`,
        );
      if (by !== "guard") await renewTab();
    }
    return outcome;
  }

  test("every attempt is stopped by the intended layer", async () => {
    const rows = toEscapeRows(
      world.internet.gantryPort,
      user.targetId,
      user.sessionId,
    );
    expect(rows.length).toBeGreaterThanOrEqual(127);
    for (let round = 0; round < (isLongRun ? SETTINGS.length : 1); round++)
      expect(await tryAll(rows, (at) => at + round)).toEqual({});
    // One more request, queued behind all others of the browser, so that none of them is still in flight.
    await agent.openTab(APP);
    expect([...world.internet.reached]).toEqual([]);
    expect(await world.urls()).toContain("http://site.test/user");
    expect(world.browser.protocol.isClosed).toBe(false);
  });
});
