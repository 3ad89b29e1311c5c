import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  test,
} from "vitest";
import { hasChromium } from "../support/start-pool.ts";
import type { AgentMessage } from "../../src/fence/guard.ts";
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
describe.skipIf(!hasChromium)("pages behind the guard", () => {
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

  test("an agent with a lent popup does not reach the nodes of its opener", async () => {
    const user = await world.openUserTab("http://site.test/user");
    await user.evaluate("void open('/popup')");
    const { targetInfos } = await world.browser.protocol.send<{
      targetInfos: { targetId: string; url: string; openerId?: string }[];
    }>("Target.getTargets");
    const popup = targetInfos.find(
      ({ openerId }) => openerId === user.targetId,
    )!;
    await expect.poll(() => world.urls()).toContain("http://site.test/popup");
    world.guard.lend(popup.targetId, "agt_1");
    await expect.poll(() => agent.sessionOf(popup.targetId)).toBeDefined();
    const session = agent.sessionOf(popup.targetId);
    const { root } = await user.send<{ root: { backendNodeId: number } }>(
      "DOM.getDocument",
      { depth: -1 },
    );
    await agent.call("DOM.enable", {}, session);
    for (const [method, params] of [
      ["DOM.getOuterHTML", {}],
      ["DOM.describeNode", { depth: -1 }],
      ["DOM.resolveNode", {}],
      ["Accessibility.getPartialAXTree", {}],
    ] as const) {
      const { error } = await agent.call(
        method,
        { ...params, backendNodeId: root.backendNodeId },
        session,
      );
      expect(error?.message).toContain("not read from this page");
    }
    const { result } = await agent.call("DOM.getDocument", {}, session);
    const { backendNodeId } = result?.["root"] as { backendNodeId: number };
    expect(
      (await agent.call("DOM.getOuterHTML", { backendNodeId }, session)).result,
    ).toBeDefined();
  });

  test("a frame of a site that is not allowed can be neither read nor used", async () => {
    const { sessionId } = await agent.openTab(HOME);
    await agent.call(
      "Target.setAutoAttach",
      { autoAttach: true, waitForDebuggerOnStart: true, flatten: false },
      sessionId,
    );
    const from = agent.events.length;
    await evaluate(
      "document.body.innerHTML = '<iframe src=http://evil.test/></iframe>'",
      sessionId,
    );
    const { params } = await agent.until(
      ({ method, sessionId: of }) =>
        method === "Target.attachedToTarget" && of === sessionId,
      from,
    );
    const frame = params?.["sessionId"];
    await agent.call("Runtime.runIfWaitingForDebugger", {}, frame);
    await expect
      .poll(
        async () =>
          (
            await agent.call(
              "Runtime.evaluate",
              { expression: "document.cookie" },
              frame,
            )
          ).error?.message,
      )
      .toContain("evil.test");
    expect(
      (await agent.call("DOM.getDocument", {}, frame)).error,
    ).toBeDefined();
  });

  test("cookies of other sites are not read, and below full none at all", async () => {
    const user = await world.openUserTab("http://evil.test/");
    await user.evaluate("document.cookie = 'key=secret'");
    const { sessionId } = await agent.openTab("http://site.test/cookie");
    expect(
      (
        await agent.call(
          "Network.getCookies",
          { urls: ["http://evil.test/"] },
          sessionId,
        )
      ).error,
    ).toBeDefined();
    expect(
      (await agent.call("Network.getCookies", { urls: [HOME] }, sessionId))
        .result,
    ).toBeDefined();
    world.rules.tier = "act";
    await agent.call("Network.enable", {}, sessionId);
    const from = agent.events.length;
    await agent.call("Page.reload", {}, sessionId);
    await agent.until(
      ({ method }) => method === "Network.loadingFinished",
      from,
    );
    const seen = agent.events.slice(from);
    expect(
      seen.some(({ method }) => method === "Network.requestWillBeSent"),
    ).toBe(true);
    expect(JSON.stringify(seen)).not.toContain("key=secret");
  });

  test("only the browser learns the password of the proxy", async () => {
    const { sessionId } = await agent.openTab(HOME);
    await agent.call("Network.enable", {}, sessionId);
    const from = agent.events.length;
    await agent.call("Page.reload", {}, sessionId);
    await agent.until(
      ({ method }) => method === "Network.requestWillBeSentExtraInfo",
      from,
    );
    await agent.until(({ method }) => method === "Page.loadEventFired", from);
    expect(JSON.stringify(agent.events)).not.toMatch(/proxy-authorization/i);
  });

  test("an agent cannot fulfil requests of a site that is not allowed", async () => {
    const { sessionId } = await agent.openTab(HOME);
    await agent.call(
      "Fetch.enable",
      { patterns: [{ urlPattern: "*" }] },
      sessionId,
    );
    const from = agent.events.length;
    await evaluate(
      "document.body.innerHTML = '<iframe src=http://evil.test/></iframe>'",
      sessionId,
    );
    const { params } = await agent.until(
      ({ method }) => method === "Fetch.requestPaused",
      from,
    );
    const requestId = params?.["requestId"];
    const body = Buffer.from("<script>0</script>").toString("base64");
    expect(
      (
        await agent.call(
          "Fetch.fulfillRequest",
          { requestId, responseCode: 200, body },
          sessionId,
        )
      ).error?.message,
    ).toContain("evil.test");
    expect(
      (
        await agent.call(
          "Fetch.failRequest",
          { requestId, errorReason: "Aborted" },
          sessionId,
        )
      ).result,
    ).toBeDefined();
  });

  test("input is delayed, in order, while the user is using the tab", async () => {
    const { targetId, sessionId } = await agent.openTab(HOME);
    await evaluate("document.querySelector('#text').focus()", sessionId);
    world.driving.add(targetId);
    const typed = ["a", "b"].map((text) =>
      agent.call("Input.insertText", { text }, sessionId),
    );
    const value = async () =>
      (await evaluate("document.querySelector('#text').value", sessionId))
        .result?.["result"];
    expect(await value()).toMatchObject({ value: "" });
    world.driving.delete(targetId);
    await expect
      .poll(async () => {
        await world.kernel.clock.advance(200);
        return await value();
      })
      .toMatchObject({ value: "ab" });
    for (const answer of await Promise.all(typed))
      expect(answer.error).toBeUndefined();
  });

  test("a page receives only files of the agent's folder", async () => {
    const folder = await mkdtemp(join(tmpdir(), "gantry-folder-"));
    await writeFile(join(folder, "a.txt"), "content of a");
    await symlink("/etc/passwd", join(folder, "link"));
    const { sessionId } = await agent.openTab(HOME);
    const { result } = await agent.call("DOM.getDocument", {}, sessionId);
    const { nodeId } = result?.["root"] as { nodeId: number };
    const found = await agent.call(
      "DOM.querySelector",
      { nodeId, selector: "#file" },
      sessionId,
    );
    const give = (...files: unknown[]) =>
      agent.call(
        "DOM.setFileInputFiles",
        { nodeId: found.result?.["nodeId"], files },
        sessionId,
      );
    world.rules.folder = null;
    expect((await give(join(folder, "a.txt"))).error).toBeDefined();
    world.rules.folder = folder;
    for (const file of [
      "/etc/passwd",
      join(folder, "link"),
      join(folder, "../x"),
      folder,
      join(folder, "none"),
      1,
    ])
      expect((await give(file)).error?.message, String(file)).toContain(
        "Gantry:",
      );
    expect((await give(join(folder, "a.txt"))).error).toBeUndefined();
    const read = await agent.call(
      "Runtime.evaluate",
      {
        expression: "document.querySelector('#file').files[0].text()",
        awaitPromise: true,
        returnByValue: true,
      },
      sessionId,
    );
    expect(read.result).toMatchObject({ result: { value: "content of a" } });
    await rm(folder, { recursive: true });
  });

  test("workers and worklets of a page run, whatever a client asks for", async () => {
    const { sessionId } = await agent.openTab(HOME);
    for (const waitForDebuggerOnStart of [false, true]) {
      const options = { autoAttach: true, waitForDebuggerOnStart };
      await agent.call("Target.setAutoAttach", options, sessionId);
      const from = agent.events.length;
      const answer = agent.call(
        "Runtime.evaluate",
        {
          ...{ awaitPromise: true, returnByValue: true },
          expression: `(async () => {
            const address = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
            await CSS.paintWorklet?.addModule(address(""));
            return await new Promise((done) => (new Worker(address("postMessage(7)")).onmessage = ({ data }) => done(data)));
          })()`,
        },
        sessionId,
      );
      const isWorker = ({ method, params }: AgentMessage) =>
        method === "Target.attachedToTarget" &&
        (params?.["targetInfo"] as { type: string }).type === "worker";
      const { params } = await agent.until(isWorker, from);
      await agent.call(
        "Runtime.runIfWaitingForDebugger",
        {},
        params?.["sessionId"],
      );
      expect((await answer).result).toMatchObject({ result: { value: 7 } });
    }
    // The page ends with its worklets.
    await agent.call("Page.navigate", { url: `${HOME}user` }, sessionId);
    expect((await evaluate("document.title", sessionId)).result).toBeDefined();
  });
});
