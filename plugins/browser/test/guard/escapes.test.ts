import { isThorough, WAIT_MS } from "@gantry/build/testing";
import { chromiumPath } from "@gantry/plugin-testing/browser";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startForbiddenServer } from "../egress/support/attack-site.ts";
import type { ForbiddenServer } from "../egress/support/attack-site.ts";
import type { TestAgent } from "./support/connect-agent.ts";
import { toEscapeRows } from "./support/escape-rows.ts";
import type { EscapeRow, Stop } from "./support/escape-row.ts";
import { LISTED_METHODS } from "./support/find-wrong-verdicts.ts";
import { openGuardedBrowser } from "./support/open-guarded-browser.ts";
import type { GuardedBrowser } from "./support/open-guarded-browser.ts";

const PAGES = {
  "/app": "<!doctype html><title>app</title><h1>app</h1><input type=file id=f>",
  "/user": "<title>page of the user</title>",
  "/sw.js":
    "fetch('http://127.0.0.1:' + new URL(location).searchParams.get('port') + '/?v=service', { mode: 'no-cors' }).catch(() => 0)",
};
/** Names of the site that lead elsewhere. */
const LYING_NAMES = {
  "inside.site.test": ["127.0.0.1"],
  "mixed.site.test": ["93.184.216.34", "127.0.0.1"],
  "mapped.site.test": ["::ffff:127.0.0.1"],
  "meta.site.test": ["169.254.169.254"],
  "lan.site.test": ["10.0.0.1"],
  "metadata.google.internal": ["169.254.169.254"],
};
/** Every how many rows are tried for each change. */
const SAMPLE = 8;

describe.skipIf(chromiumPath === undefined)(
  "escapes through the protocol",
  () => {
    let world: GuardedBrowser;
    let forbidden: ForbiddenServer;
    let agent: TestAgent;
    let tab: { targetId: string; sessionId: string };
    let rows: EscapeRow[];
    let userTab: string;
    let app: string;
    beforeAll(async () => {
      forbidden = await startForbiddenServer();
      world = await openGuardedBrowser(PAGES, { gantryPort: forbidden.port });
      for (const [name, addresses] of Object.entries(LYING_NAMES))
        world.kernel.names.set(name, addresses);
      // A context is secure there, so that pages have service workers and worklets.
      const site = `localhost:${world.site.port}`;
      app = `http://${site}/app`;
      settings(["*.site.test"]);
      const user = await world.openUserTab(`http://${site}/user`);
      const created = Promise.withResolvers<string>();
      world.browser.protocol.onEvent(({ method, params, sessionId }) => {
        if (sessionId !== user.sessionId) return;
        if (method === "Runtime.executionContextCreated")
          created.resolve(
            (params as { context: { uniqueId: string } }).context.uniqueId,
          );
      });
      await user.send("Runtime.enable");
      userTab = user.targetId;
      rows = toEscapeRows({
        ...{ site, port: forbidden.port, userTab },
        ...{ userSession: user.sessionId, userContext: await created.promise },
      });
      agent = await world.connect();
      tab = await agent.openTab(app);
    });
    afterAll(async () => {
      await world?.[Symbol.asyncDispose]();
      await forbidden?.[Symbol.asyncDispose]();
    });

    function settings(more: readonly string[], tier: "act" | "full" = "full") {
      const sites = [`localhost:${world.site.port}`, ...more];
      Object.assign(world.rules, { tier, sites });
    }

    /** Tries one row and returns what stopped it, or what it reached. */
    async function attempt(row: EscapeRow, by: Stop): Promise<string> {
      const before = world.failed.length;
      const params = JSON.parse(
        JSON.stringify(row.params).replaceAll("OWN_TAB", tab.targetId),
      ) as object;
      const session = row.level === "page" ? tab.sessionId : undefined;
      const { error, result } = await agent.call(row.method, params, session);
      if (error?.message.startsWith("Gantry:")) return "guard";
      if (JSON.stringify(result ?? {}).includes(userTab))
        return "it saw the tab of the user";
      if (by === "egress") {
        const isRefused = () =>
          world.failed.slice(before).some((each) => each.isRefused);
        const seen = vi.waitUntil(isRefused, {
          timeout: WAIT_MS,
          interval: 10,
        });
        return await seen.then(
          () => "egress",
          () => "no connection was refused",
        );
      }
      return Object.keys(result ?? {}).length > 0 && !row.mayAnswer
        ? `it was answered ${JSON.stringify(result).slice(0, 80)}`
        : by;
    }

    /** Opens a new tab for the next row, so that what one has done does not carry over. */
    async function renewTab(): Promise<void> {
      const { result } = await agent.call("Target.getTargets");
      const { protocol } = world.browser;
      for (const { targetId } of result?.["targetInfos"] as {
        targetId: string;
      }[])
        await protocol.send("Target.closeTarget", { targetId }).catch(() => {});
      settings(["*.site.test"]);
      tab = await agent.openTab(app);
    }

    /** Tries rows and returns those that something else has stopped. */
    async function attemptAll(
      tried: readonly EscapeRow[],
      tier: "act" | "full",
      more: readonly string[],
    ): Promise<string[]> {
      const wrong: string[] = [];
      for (const row of tried) {
        settings(more, tier);
        const intended =
          more.includes("*") && row.byWithAllSites
            ? row.byWithAllSites
            : row.by;
        const by = await attempt(row, intended);
        const needed = LISTED_METHODS.find(
          ([level, , name]) => level === row.level && name === row.method,
        )?.[1];
        const expected =
          tier === "act" && needed === "full" ? "guard" : intended;
        const outside = (await world.urls()).filter(
          (url) =>
            !/^(http:|https:|about:blank|blob:|chrome-error:|$)/.test(url),
        );
        if (by !== expected || outside.length > 0)
          wrong.push(`${row.name}: ${by}, not ${expected} ${outside.join()}`);
        if (by !== "guard") await renewTab();
      }
      return wrong;
    }

    test.each([
      ["full", ["*.site.test"]],
      ["act", ["*.site.test"]],
      ["full", ["*"]],
      ["act", ["*"]],
    ] as const)(
      "at %s with %j, each attempt is stopped by what has to stop it",
      { tags: isThorough ? ["thorough"] : [] },
      async (tier, more) => {
        expect(rows.length).toBeGreaterThanOrEqual(127);
        const settingAt = [
          "full*.site.test",
          "act*.site.test",
          "full*",
          "act*",
        ].indexOf(`${tier}${more[0]}`);
        const tried = isThorough
          ? rows
          : rows.filter((_, at) => at % (SAMPLE * 4) === settingAt * SAMPLE);
        expect(await attemptAll(tried, tier, more)).toEqual([]);
        // One more page, queued behind all other requests of the browser.
        await renewTab();
        expect([...forbidden.reached]).toEqual([]);
        expect(await world.urls()).toContain(app.replace("app", "user"));
        expect(JSON.stringify(agent.events)).not.toContain(userTab);
        expect(world.browser.protocol.isClosed).toBe(false);
      },
    );
  },
);
