import { chromiumPath } from "@gantry/plugin-testing/browser";
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  test,
} from "vitest";
import { MAX_SESSIONS } from "../../src/guard/agent-connection.ts";
import type { TestAgent } from "./support/connect-agent.ts";
import { openGuardedBrowser } from "./support/open-guarded-browser.ts";
import type { GuardedBrowser } from "./support/open-guarded-browser.ts";

const PAGES = {
  "/": "<title>Home</title><h1>home</h1>",
  "/user": "<title>User</title><h1>secret of the user</h1>",
  "/opens":
    "<button onclick=\"window.open('/popup')\" style='width:100vw;height:100vh'>open</button>",
  "/popup": "<title>Popup</title><script>globalThis.ran = true</script>",
};

describe.skipIf(chromiumPath === undefined)("tabs behind the guard", () => {
  let world: GuardedBrowser;
  let agent: TestAgent;
  let home: string;
  beforeAll(async () => {
    // The network reaches both sites, so that only the guard restricts the agent.
    world = await openGuardedBrowser(PAGES, {
      reachable: ["site.test", "evil.test"],
    });
    home = world.at("/");
  });
  afterAll(() => world?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    const sites = [`site.test:${world.site.port}`];
    Object.assign(world.rules, { tier: "full", sites });
    agent?.close();
    await world.closeTabs();
    agent = await world.connect();
  });

  const messageOf = async (call: Promise<{ error?: { message: string } }>) =>
    (await call).error?.message ?? "allowed";

  test("an agent sees only its own tabs", async () => {
    const user = await world.openUserTab(world.at("/user"));
    const { targetId, sessionId } = await agent.openTab(home);
    const other = await world.connect("agt_2");
    await agent.call("Target.setDiscoverTargets", { discover: true });
    const listed = await agent.call("Target.getTargets");
    expect(listed.result).toMatchObject({ targetInfos: [{ targetId }] });
    expect(JSON.stringify([agent.events, agent.answers])).not.toContain(
      user.targetId,
    );
    expect((await other.call("Target.getTargets")).result).toEqual({
      targetInfos: [],
    });
    for (const method of [
      "Target.attachToTarget",
      "Target.activateTarget",
      "Target.closeTarget",
    ])
      for (const params of [
        { targetId: user.targetId },
        { targetId: [targetId] },
        { targetId: null },
        {},
      ])
        expect(
          await messageOf(agent.call(method, params)),
          `${method} ${JSON.stringify(params)}`,
        ).toContain("not the agent's");
    for (const session of [
      user.sessionId,
      "",
      null,
      0,
      {},
      [sessionId],
      { toString: sessionId },
    ])
      expect(
        await messageOf(agent.call("Page.getFrameTree", {}, session)),
        JSON.stringify(session),
      ).toContain("not the agent's");
    expect(
      await messageOf(other.call("Page.getFrameTree", {}, sessionId)),
    ).toContain("not the agent's");
    expect(
      await messageOf(
        agent.call("Target.getTargetInfo", { targetId: user.targetId }),
      ),
    ).toContain("not the agent's");
    expect(
      await messageOf(other.call("Target.detachFromTarget", { sessionId })),
    ).toContain("not the agent's");
    expect((await agent.call("Page.getFrameTree", {}, sessionId)).error).toBe(
      undefined,
    );
    other.close();
  });

  test("a tab opens at its address, in two sessions if they are asked for", async () => {
    await agent.call("Target.setDiscoverTargets", { discover: true });
    const { result } = await agent.call("Target.createTarget", {
      url: world.at("/popup"),
    });
    const targetId = String(result?.["targetId"]);
    const first = agent.sessionOf(targetId)!;
    await expect
      .poll(() => agent.evaluate("document.title", first))
      .toBe("Popup");
    const attached = await agent.call("Target.attachToTarget", { targetId });
    const second = String(attached.result?.["sessionId"]);
    expect(second).not.toBe(first);
    await agent.call("Target.detachFromTarget", { sessionId: first });
    expect(
      await messageOf(agent.call("Page.getFrameTree", {}, first)),
    ).toContain("not the agent's");
    expect(await agent.evaluate("document.title", second)).toBe("Popup");
    await agent.call("Target.closeTarget", { targetId });
    await agent.until(
      ({ method, params }) =>
        method === "Target.targetDestroyed" &&
        params?.["targetId"] === targetId,
      0,
    );
    expect((await agent.call("Target.getTargets")).result).toEqual({
      targetInfos: [],
    });
  });

  test("messages that are no calls are answered as such", () => {
    const messages = [
      ...[null, 1, "x", [], {}, { id: "1", method: "Page.enable" }],
      ...[
        { id: 1.5, method: "x" },
        { id: 1, method: 1 },
        { id: 1, method: "Page.enable", params: [] },
        { id: 1, method: "Page.enable", params: null },
      ],
    ];
    const before = agent.answers.length;
    for (const message of messages) agent.post(message);
    const codes = agent.answers.slice(before).map(({ error }) => error?.code);
    expect(codes).toEqual(messages.map(() => -32_600));
  });

  test("answers and events come in Chromium's order", async () => {
    const { sessionId } = await agent.openTab(home);
    const from = agent.events.length;
    const order: string[] = [];
    // Chromium sends the contexts of the page before the answer, and what a script logs before its value.
    agent.onMessage = ({ method, id }) => order.push(method ?? `answer ${id}`);
    const enabled = agent.call("Runtime.enable", {}, sessionId);
    const evaluated = agent.call(
      "Runtime.evaluate",
      { expression: "console.log(1)" },
      sessionId,
    );
    const ids = [await enabled, await evaluated].map(({ id }) => id);
    agent.onMessage = () => {};
    await agent.until(
      ({ method }) => method === "Runtime.consoleAPICalled",
      from,
    );
    expect(
      order.filter((each) => /answer|Runtime.(exec|console)/.test(each)),
    ).toEqual([
      "Runtime.executionContextCreated",
      `answer ${ids[0]}`,
      "Runtime.consoleAPICalled",
      `answer ${ids[1]}`,
    ]);
  });

  test("a popup belongs to the agent when its opener does, and not without an opener", async () => {
    const { sessionId } = await agent.openTab(world.at("/opens"));
    const from = agent.events.length;
    const paused: unknown[] = [];
    const stop = world.browser.protocol.onEvent(({ method, params }) => {
      if (method === "Target.attachedToTarget")
        paused.push(params["waitingForDebugger"]);
    });
    for (const type of ["mousePressed", "mouseReleased"])
      await agent.call(
        "Input.dispatchMouseEvent",
        { type, x: 50, y: 50, button: "left", clickCount: 1 },
        sessionId,
      );
    const { params } = await agent.until(
      ({ method }) => method === "Target.attachedToTarget",
      from,
    );
    stop();
    // The guard's own session is first, while the page stands still, and the agent's is next.
    expect(paused).toEqual([true, false]);
    const popup = String(params?.["sessionId"]);
    await expect.poll(() => agent.evaluate("globalThis.ran", popup)).toBe(true);

    const user = await world.openUserTab(world.at("/user"));
    await user.send("Runtime.evaluate", {
      ...{ expression: "void open('/popup')", userGesture: true },
    });
    await expect
      .poll(async () => (await world.urls()).filter((url) => /popup/.test(url)))
      .toHaveLength(2);
    const { result } = await agent.call("Target.getTargets");
    expect(result?.["targetInfos"]).toHaveLength(2);
  });

  test("a tab that leaves what is allowed is emptied, and does not go back there", async () => {
    const { targetId, sessionId } = await agent.openTab(home);
    await agent.evaluate(
      `location = '${world.at("/", "evil.test")}'`,
      sessionId,
    );
    await agent.until(({ method }) => method === "Gantry.tabEmptied", 0);
    const url = async () =>
      (await agent.call("Target.getTargetInfo", { targetId })).result?.[
        "targetInfo"
      ];
    await expect.poll(url).toMatchObject({ url: "about:blank" });
    const { result } = await agent.call(
      "Page.getNavigationHistory",
      {},
      sessionId,
    );
    const entries = result?.["entries"] as { id: number; url: string }[];
    const evil = entries.find((entry) => entry.url.includes("evil"));
    for (const entryId of [evil?.id ?? -1, -1, "x"])
      expect(
        await messageOf(
          agent.call("Page.navigateToHistoryEntry", { entryId }, sessionId),
        ),
      ).toContain("Gantry:");
    const first = entries.find((entry) => entry.url === home);
    const back = { entryId: first?.id };
    expect(
      await messageOf(
        agent.call("Page.navigateToHistoryEntry", back, sessionId),
      ),
    ).toBe("allowed");
    expect(world.audit).toContainEqual({
      ...{ agentId: "agt_1", method: "Page.frameNavigated" },
      ...{ verdict: "refused", reason: expect.stringContaining("evil.test") },
    });
  });

  test("a change of the sites applies at once, to open pages as well", async () => {
    const { targetId, sessionId } = await agent.openTab(home);
    world.rules.sites = ["other.test"];
    expect(
      await messageOf(agent.call("Page.captureScreenshot", {}, sessionId)),
    ).toContain("site.test");
    world.guard.review();
    const urlOf = async () => {
      const { result } = await agent.call("Target.getTargets");
      const tabs = result?.["targetInfos"] as {
        targetId: string;
        url: string;
      }[];
      return tabs.find((tab) => tab.targetId === targetId)?.url;
    };
    await expect.poll(urlOf).toBe("about:blank");
  });

  test("a lower tier ends the sessions, with what they have switched on", async () => {
    const { targetId, sessionId } = await agent.openTab(home);
    await agent.call(
      "Page.addScriptToEvaluateOnNewDocument",
      { source: "globalThis.isLeft = true" },
      sessionId,
    );
    world.rules.tier = "read";
    expect(await messageOf(agent.call("Page.reload", {}, sessionId))).toContain(
      'needs the level "act"',
    );
    world.guard.review();
    await agent.until(
      ({ method }) => method === "Target.detachedFromTarget",
      0,
    );
    world.rules.tier = "full";
    world.guard.review();
    const attached = await agent.call("Target.attachToTarget", { targetId });
    const next = String(attached.result?.["sessionId"]);
    await agent.call("Page.enable", {}, next);
    const from = agent.events.length;
    await agent.call("Page.reload", {}, next);
    await agent.until(({ method }) => method === "Page.loadEventFired", from);
    expect(await agent.evaluate("typeof isLeft", next)).toBe("undefined");
    world.rules.tier = "none";
    for (const [method, session] of [
      ["Page.navigate", next],
      ["Target.getTargets", undefined],
    ] as const)
      expect(
        await messageOf(agent.call(method, { url: home }, session)),
      ).toContain("may not use the browser");
  });

  test(
    "what an agent can make grow has limits",
    { tags: "thorough" },
    async () => {
      const { sessionId } = await agent.openTab(home);
      const tabs = await Promise.all(
        Array.from({ length: 20 }, () =>
          agent.call("Target.createTarget", { url: "about:blank" }),
        ),
      );
      expect(tabs.filter(({ result }) => result)).toHaveLength(11);
      expect(
        await messageOf(
          agent.call("Target.createTarget", { url: "about:blank" }),
        ),
      ).toContain("12 tabs");
      const never = { expression: "new Promise(() => {})", awaitPromise: true };
      for (let count = 0; count < 500; count++)
        void agent.call("Runtime.evaluate", never, sessionId);
      expect(
        await messageOf(agent.call("Page.getFrameTree", {}, sessionId)),
      ).toContain("500 calls");
      const attach = () =>
        agent.call("Target.attachToTarget", {
          targetId: tabs[1]?.result?.["targetId"],
        });
      const attached = Array.from({ length: MAX_SESSIONS }, attach);
      const refused = (await Promise.all(attached)).filter(
        ({ error }) => error,
      );
      expect(refused.length).toBeGreaterThan(0);
      expect(await messageOf(attach())).toContain("500 sessions");
      const many = Array.from({ length: 600 }, () =>
        agent.call("Browser.getVersion"),
      );
      expect(
        (await Promise.all(many)).filter(({ error }) => error),
      ).toHaveLength(100);
      const text = "x".repeat(16 * 1024 * 1024);
      const second = agent.sessionOf(String(tabs[0]?.result?.["targetId"]));
      expect(
        await messageOf(agent.call("Input.insertText", { text }, second)),
      ).toContain("at most");
      let deep: object = {};
      for (let depth = 0; depth < 100_000; depth++) deep = { deep };
      expect(
        await messageOf(agent.call("Page.enable", deep, second)),
      ).toContain("too deeply");
    },
  );
});
