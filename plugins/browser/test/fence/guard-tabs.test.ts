import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  test,
} from "vitest";
import { hasChromium } from "../support/start-pool.ts";
import type { AgentDriver } from "./support/agent-driver.ts";
import { openFencedBrowser, SITES } from "./support/fenced-browser.ts";
import type { FencedBrowser } from "./support/fenced-browser.ts";

const pages = () => ({
  "/": "<title>Home</title><h1>home</h1><input id=text><input type=file id=file>",
  "/user": "<title>User</title><h1>secret of the user</h1>",
  "/cookie": "<script>document.cookie='key=secret'</script>",
  "/opens":
    "<button onclick=\"window.open('/popup')\" style='width:100vw;height:100vh'>open</button>",
  "/popup": "<title>Popup</title>",
  "/framed": "<iframe src='http://evil.test/'></iframe>",
});
const HOME = "http://site.test/";

// The user's own browser, which reaches all sites, so that only the guard restricts an agent here.
describe.skipIf(!hasChromium)("tabs behind the guard", () => {
  let world: FencedBrowser;
  let agent: AgentDriver;
  beforeAll(async () => {
    world = await openFencedBrowser(pages, { kind: "user" });
  });
  afterAll(() => world?.close());
  beforeEach(async () => {
    Object.assign(world.rules, { tier: "full", sites: SITES });
    agent?.close();
    for (const { targetId } of world.guard.ownTabs("agt_1")) {
      world.guard.lend(targetId, null);
      await world.browser.protocol.send("Target.closeTarget", { targetId });
    }
    agent = await world.connect();
  });

  const evaluate = (expression: string, sessionId: string) =>
    agent.call(
      "Runtime.evaluate",
      { expression, returnByValue: true, userGesture: true },
      sessionId,
    );

  test("an agent sees only its own tabs", async () => {
    const user = await world.openUserTab("http://site.test/user");
    const { targetId } = await agent.openTab(HOME);
    const other = await world.connect("agt_2");
    await agent.call("Target.setDiscoverTargets", { discover: true });
    await agent.call("Target.getTargets");
    await agent.call("Target.getTargetInfo", { targetId: user.targetId });
    const seen = JSON.stringify([agent.events, agent.answers]);
    expect(seen).toContain(targetId);
    expect(seen).not.toContain(user.targetId);
    expect((await other.call("Target.getTargets")).result).toEqual({
      targetInfos: [],
    });
    for (const params of [
      { targetId: user.targetId },
      { targetId: [targetId] },
      {},
    ]) {
      const { error } = await agent.call("Target.attachToTarget", params);
      expect(error?.message).toContain("not the agent's");
    }
    // Neither a session of the user nor one of another agent.
    for (const session of [
      user.sessionId,
      "",
      null,
      0,
      {},
      [agent.sessionOf(targetId)],
    ])
      expect(
        (await agent.call("Page.getFrameTree", {}, session)).error?.message,
      ).toContain("not the agent's");
    expect(
      (await other.call("Page.getFrameTree", {}, agent.sessionOf(targetId)))
        .error,
    ).toBeDefined();
    other.close();
  });

  test("messages that are no calls are answered as such", () => {
    for (const message of [
      null,
      1,
      "x",
      [],
      {},
      { id: "1", method: "Page.enable" },
      { id: 1.5, method: "x" },
      { id: 1, method: 1 },
      { id: 1, method: "Page.enable", params: [] },
    ])
      agent.post(message);
    expect(
      agent.answers.slice(-9).every(({ error }) => error?.code === -32_600),
    ).toBe(true);
  });

  test("answers and events come in Chromium's order", async () => {
    const { sessionId } = await agent.openTab(HOME);
    const order: string[] = [];
    const stop = world.browser.protocol.onEvent(({ method }) =>
      order.push(method),
    );
    const from = agent.events.length;
    const enabled = agent
      .call("Runtime.enable", {}, sessionId)
      .then(() => order.push("answer"));
    const created = agent.until(
      ({ method }) => method === "Runtime.executionContextCreated",
      from,
    );
    await Promise.all([enabled, created]);
    stop();
    expect(order.indexOf("Runtime.executionContextCreated")).toBeLessThan(
      order.indexOf("answer"),
    );
  });

  test("a popup is the agent's when the opener is", async () => {
    const { sessionId } = await agent.openTab("http://site.test/opens");
    const from = agent.events.length;
    for (const type of ["mousePressed", "mouseReleased"])
      await agent.call(
        "Input.dispatchMouseEvent",
        { type, x: 50, y: 50, button: "left", clickCount: 1 },
        sessionId,
      );
    await agent.until(
      ({ method }) => method === "Target.attachedToTarget",
      from,
    );
    await expect
      .poll(() => world.guard.ownTabs("agt_1").map(({ url }) => url))
      .toContain("http://site.test/popup");
  });

  test("a tab is lent from an allowed address, and comes back when it leaves", async () => {
    const user = await world.openUserTab("http://evil.test/");
    expect(() => world.guard.lend(user.targetId, "agt_1")).toThrow(
      expect.objectContaining({ code: "BROWSER_REFUSED" }) as Error,
    );
    expect(() => world.guard.lend("unknown", "agt_1")).toThrow();
    await user.go(HOME);
    world.guard.lend(user.targetId, "agt_1");
    await expect.poll(() => agent.sessionOf(user.targetId)).toBeDefined();
    const session = agent.sessionOf(user.targetId);
    expect(
      (await agent.call("Page.getFrameTree", {}, session)).result,
    ).toBeDefined();
    for (const close of [
      agent.call("Page.close", {}, session),
      agent.call("Target.closeTarget", { targetId: user.targetId }),
    ])
      expect((await close).error?.message).toContain("only the user");
    const from = agent.events.length;
    await user.go("http://evil.test/");
    await agent.until(
      ({ method }) => method === "Target.detachedFromTarget",
      from,
    );
    expect(world.guard.ownerOf(user.targetId)).toBeUndefined();
    expect(
      (await agent.call("Page.getFrameTree", {}, session)).error,
    ).toBeDefined();
    expect(world.left.at(-1)).toMatchObject({
      agentId: "agt_1",
      url: "http://evil.test/",
    });
    // The page itself is unchanged.
    expect(await user.evaluate("location.href")).toBe("http://evil.test/");
  });

  test("a tab of the agent's own that leaves what is allowed is emptied", async () => {
    const { targetId, sessionId } = await agent.openTab(HOME);
    await evaluate("location = 'http://evil.test/'", sessionId);
    await expect
      .poll(
        async () =>
          (await agent.call("Target.getTargetInfo", { targetId })).result,
      )
      .toMatchObject({ targetInfo: { url: "about:blank" } });
    expect(
      agent.events.some(({ method }) => method === "Gantry.navigationRefused"),
    ).toBe(true);
    // Nor does going back in the history.
    const { result } = await agent.call(
      "Page.getNavigationHistory",
      {},
      sessionId,
    );
    const entries = result?.["entries"] as { id: number; url: string }[];
    const evil = entries.find(({ url }) => url.includes("evil"));
    if (evil)
      expect(
        (
          await agent.call(
            "Page.navigateToHistoryEntry",
            { entryId: evil.id },
            sessionId,
          )
        ).error?.message,
      ).toContain("evil.test");
  });

  test("a policy change applies at once to open pages", async () => {
    const { targetId, sessionId } = await agent.openTab(HOME);
    world.rules.sites = ["other.test"];
    expect(
      (await agent.call("Page.captureScreenshot", {}, sessionId)).error
        ?.message,
    ).toContain("site.test");
    world.guard.review();
    await expect
      .poll(
        () =>
          world.guard.ownTabs("agt_1").find((tab) => tab.targetId === targetId)
            ?.url,
      )
      .toBe("about:blank");
    world.rules.tier = "none";
    expect(
      (await agent.call("Page.navigate", { url: HOME }, sessionId)).error?.data,
    ).toMatchObject({ cause: "tier" });
  });

  test("new targets are paused until they are prepared", async () => {
    const prepared: string[] = [];
    const ran: string[] = [];
    const stop = world.guard.onNewTarget(async ({ url, type }, sessionId) => {
      world.browser.protocol.post(
        "Page.addScriptToEvaluateOnNewDocument",
        { source: "globalThis.isPrepared = true" },
        sessionId,
        () => {},
      );
      await Promise.resolve();
      prepared.push(`${type} ${url}`);
    });
    const { sessionId } = await agent.openTab(HOME);
    const { result } = await evaluate("isPrepared", sessionId);
    ran.push(JSON.stringify(result));
    stop();
    expect(prepared).toEqual(["page "]);
    expect(ran[0]).toContain("true");
  });

  test("an agent has at most twelve tabs", async () => {
    const answers = await Promise.all(
      Array.from({ length: 13 }, () =>
        agent.call("Target.createTarget", { url: "about:blank" }),
      ),
    );
    await expect
      .poll(
        async () =>
          (await agent.call("Target.createTarget", { url: "about:blank" }))
            .error?.message,
      )
      .toContain("12 tabs");
    expect(answers.length).toBe(13);
  });
});
