import { definePlugin } from "@gantry/plugin";
import type { PluginDefinition } from "@gantry/plugin";
import { chromiumPath } from "@gantry/plugin-testing/browser";
import { describe, expect, onTestFinished, test } from "vitest";
import { IDLE_MS } from "../../src/chromium/pooled-browser.ts";
import { WorkBrowser } from "../../src/contract.ts";
import type { AuditEntry, Tier } from "../../src/contract.ts";
import { addAgents, REAL, startBrowsing } from "../support/start-browsing.ts";
import type { BrowsingBench } from "../support/start-browsing.ts";
import { driveAgent } from "./support/connect-agent.ts";
import { startPages } from "./support/start-pages.ts";

const PAGES = { "/": "<title>Home</title>" };

/** A bench with an agent, and a plugin that uses the service. */
async function start() {
  let work: WorkBrowser | undefined;
  const consumer: PluginDefinition = definePlugin({
    id: "consumer",
    api: 1,
    summary: "Uses browsers of agents",
    mounts: [],
    needs: { work: WorkBrowser },
    setup(ctx) {
      work = ctx.needs.work;
    },
  });
  const bench = await startBrowsing(REAL, { beside: [consumer] });
  onTestFinished(() => bench.stop());
  const site = await startPages(PAGES);
  onTestFinished(() => site[Symbol.asyncDispose]());
  const home = `http://localhost:${site.port}/`;
  const sites = [`localhost:${site.port}`];
  const [agentId = ""] = await addAgents(bench, 1, sites);
  const setTier = (tier: Tier, allowed = sites) =>
    bench.api.put(`/api/browser/policies/${agentId}`, {
      ...{ tier, sites: allowed },
    });
  const abort = new AbortController();
  async function connect(id = agentId) {
    const agent = driveAgent();
    const { post, close } = await work!.connect({
      ...{ agentId: id, send: agent.take, signal: abort.signal },
    });
    Object.assign(agent, { post, close });
    return agent;
  }
  return { bench, agentId, home, setTier, connect, abort };
}

const audit = async (bench: BrowsingBench) =>
  (await bench.api.get<{ items: AuditEntry[] }>("/api/browser/developer/audit"))
    .body.items;

describe.skipIf(chromiumPath === undefined)("an agent's browser", () => {
  test("is started for an agent that may use it, and kept while it is connected", async () => {
    const { bench, home, setTier, connect, abort } = await start();
    await expect(connect("agt_unknown")).rejects.toMatchObject({
      code: "BROWSER_AGENT_REFUSED",
    });
    await setTier("none");
    await expect(connect()).rejects.toMatchObject({
      code: "BROWSER_AGENT_REFUSED",
    });
    expect((await bench.status()).running).toEqual([]);
    await setTier("full");
    const agent = await connect();
    await agent.call("Target.setAutoAttach", { autoAttach: true });
    const { sessionId } = await agent.openTab(home);
    expect(await agent.evaluate("document.title", sessionId)).toBe("Home");
    expect(await bench.tabs()).toMatchObject([{ url: home }]);
    await bench.clock.advance(2 * IDLE_MS);
    expect((await bench.status()).running).toHaveLength(1);
    abort.abort();
    await bench.clock.advance(IDLE_MS);
    await expect.poll(async () => (await bench.status()).running).toEqual([]);
  });

  test("obeys a change of the policy at once", async () => {
    const { bench, home, setTier, connect } = await start();
    await setTier("full");
    const agent = await connect();
    await agent.call("Target.setAutoAttach", { autoAttach: true });
    const { sessionId } = await agent.openTab(home);
    await setTier("full", ["example.com"]);
    const emptied = await agent.until(
      ({ method }) => method === "Gantry.tabEmptied",
      0,
    );
    expect(emptied.params).toMatchObject({ url: home });
    await setTier("act");
    const { error } = await agent.call("Runtime.enable", {}, sessionId);
    expect(error?.message).toContain("Gantry:");
    const next = await connect();
    expect((await next.call("Browser.getVersion")).result).toBeDefined();
    await setTier("none");
    expect((await next.call("Browser.getVersion")).error?.message).toContain(
      "may not use the browser",
    );
    await bench.clock.advance(1_000);
    await expect
      .poll(async () => (await audit(bench))[0])
      .toMatchObject({ method: "Browser.getVersion", verdict: "refused" });
  });

  test("records calls once a second, and when the plugin stops", async () => {
    const { bench, agentId, connect } = await start();
    const agent = await connect();
    for (let count = 0; count < 3; count++)
      await agent.call("Browser.getVersion");
    const refused = `IO.read${"x".repeat(500)}\u202e`;
    await agent.call(refused);
    expect(await audit(bench)).toEqual([]);
    await bench.clock.advance(1_000);
    await expect.poll(() => audit(bench)).toHaveLength(2);
    await agent.call(refused);
    await agent.call("Target.getTargets");
    await bench.restart();
    expect(await audit(bench)).toMatchObject([
      { agentId, method: "Target.getTargets", verdict: "allowed", count: 1 },
      { method: `IO.read${"x".repeat(193)}`, verdict: "refused", count: 2 },
      { method: "Browser.getVersion", verdict: "allowed", count: 3 },
    ]);
    expect((await agent.call("Browser.getVersion")).error).toBeDefined();
  });
});
