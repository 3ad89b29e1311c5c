import { definePlugin } from "@gantry/plugin";
import { chromiumPath } from "@gantry/plugin-testing/browser";
import { expect, onTestFinished, test } from "vitest";
import { WorkBrowser } from "../../src/contract.ts";
import type { AuditEntry } from "../../src/contract.ts";
import { driveAgent } from "../guard/support/connect-agent.ts";
import { addAgents, REAL, startBrowsing } from "../support/start-browsing.ts";
import { startPages } from "../support/start-pages.ts";
import { openViewer } from "./support/open-viewer.ts";

(chromiumPath ? test : test.skip)(
  "while a person uses an agent's tab, the agent is refused what a hand does, and seen before and after",
  async () => {
    let work: WorkBrowser | undefined;
    const consumer = definePlugin({
      ...{ id: "consumer", api: 1, summary: "Uses browsers of agents" },
      mounts: [],
      needs: { work: WorkBrowser },
      setup(ctx) {
        work = ctx.needs.work;
      },
    });
    await using bench = await startBrowsing(REAL, { beside: [consumer] });
    await using site = await startPages({ "/": "<title>Home</title>" });
    const home = site.url("/", "localhost");
    const [agentId = ""] = await addAgents(bench, 1, [new URL(home).host]);
    const agent = driveAgent();
    const abort = new AbortController();
    onTestFinished(() => abort.abort());
    Object.assign(
      agent,
      await work!.connect({ agentId, send: agent.take, signal: abort.signal }),
    );
    await agent.call("Target.setAutoAttach", { autoAttach: true });
    const { sessionId } = await agent.openTab(home);
    const [tab] = await bench.tabs();
    const viewer = await openViewer(bench, tab!.id);
    await expect
      .poll(async () => {
        await bench.clock.advance(500);
        return viewer.pictures.length;
      })
      .toBeGreaterThan(0);
    expect(await viewer.sees("page")).toMatchObject({
      page: { ownerAgentId: agentId },
    });

    const move = { type: "mouseMoved", x: 5, y: 5 };
    const act = () => agent.call("Input.dispatchMouseEvent", move, sessionId);
    expect(await act()).toMatchObject({ result: {} });
    await viewer.sees("driver", (driver) => driver.agentId === agentId);

    viewer.mouse("move", 20, 20);
    await viewer.sees("driver", ({ who }) => who === "user");
    const refused = {
      message: expect.stringContaining("user is using") as string,
    };
    expect(await act()).toMatchObject({ error: refused });
    for (const [method, params] of [
      ["Page.navigate", { url: home }],
      ["Page.reload", {}],
      ["Input.insertText", { text: "x" }],
    ] as const)
      expect(await agent.call(method, params, sessionId)).toMatchObject({
        error: refused,
      });
    // Looking is no use of the tab.
    expect(
      await agent.call("Page.getLayoutMetrics", {}, sessionId),
    ).toMatchObject({ result: {} });

    await bench.clock.advance(2_000);
    await viewer.sees("driver", ({ who }) => who === null);
    expect(await act()).toMatchObject({ result: {} });
    await bench.clock.advance(1_000);
    const { body } = await bench.api.get<{ items: AuditEntry[] }>(
      "/api/browser/developer/audit",
    );
    expect(body.items).toContainEqual(
      expect.objectContaining({ method: "Page.reload", verdict: "refused" }),
    );
  },
);
