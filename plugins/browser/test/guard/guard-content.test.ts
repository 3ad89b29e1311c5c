import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromiumPath } from "@gantry/plugin-testing/browser";
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
} from "vitest";
import type { BrowserMessage } from "../../src/contract.ts";
import type { TestAgent } from "./support/connect-agent.ts";
import { openGuardedBrowser } from "./support/open-guarded-browser.ts";
import type { GuardedBrowser } from "./support/open-guarded-browser.ts";

const PAGES = {
  "/": "<title>Home</title><h1>home</h1><input type=file id=file>",
  "/secret":
    "<title>Secret</title><script>document.cookie = 'key=s3cret'</script>",
  "/framing": "<title>Framing</title><iframe src='/'></iframe>",
};

describe.skipIf(chromiumPath === undefined)("pages behind the guard", () => {
  let world: GuardedBrowser;
  let agent: TestAgent;
  let home: string;
  let evil: string;
  beforeAll(async () => {
    // The network reaches all three, so that only the guard restricts the agent.
    world = await openGuardedBrowser(PAGES, {
      reachable: ["site.test", "www.site.test", "evil.test", "localhost"],
    });
    home = world.at("/");
    evil = world.at("/secret", "evil.test");
  });
  afterAll(() => world?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    const { port } = world.site;
    Object.assign(world.rules, {
      ...{ tier: "full", folder: null },
      sites: [`site.test:${port}`, `localhost:${port}`],
    });
    agent?.close();
    await world.closeTabs();
    agent = await world.connect();
  });

  const messageOf = async (call: Promise<BrowserMessage>) =>
    (await call).error?.message ?? "allowed";
  const isAttached =
    (type: string) =>
    ({ method, params }: BrowserMessage) =>
      method === "Target.attachedToTarget" &&
      (params?.["targetInfo"] as { type: string }).type === type;

  test("nodes are used only in the session that was given them, until the next document", async () => {
    const { sessionId } = await agent.openTab(home);
    await agent.evaluate("void window.open('/')", sessionId);
    const { params } = await agent.until(
      (event) =>
        isAttached("page")(event) && event.params?.["sessionId"] !== sessionId,
      0,
    );
    // The popup shares the process of its opener, and the numbers of nodes.
    const popup = String(params?.["sessionId"]);
    const { result } = await agent.call("DOM.getDocument", {}, popup);
    const { backendNodeId } = result?.["root"] as { backendNodeId: number };
    const readIn = (session: string) =>
      messageOf(agent.call("DOM.getOuterHTML", { backendNodeId }, session));
    expect(await readIn(popup)).toBe("allowed");
    expect(await readIn(sessionId)).toContain("not read from this page");
    await agent.call("Page.enable", {}, popup);
    const from = agent.events.length;
    await agent.call("Page.navigate", { url: `${home}framing` }, popup);
    await agent.until(({ method }) => method === "Page.loadEventFired", from);
    expect(await readIn(popup)).toContain("not read from this page");
  });

  test("a frame of a site that is not allowed can be neither read nor used", async () => {
    const { sessionId } = await agent.openTab(home);
    const options = {
      ...{ autoAttach: true, waitForDebuggerOnStart: true, flatten: false },
    };
    await agent.call("Target.setAutoAttach", options, sessionId);
    const from = agent.events.length;
    const isEmptied = ({ method }: BrowserMessage) =>
      method === "Gantry.tabEmptied";
    const html = `<iframe src=${evil}></iframe>`;
    await agent.evaluate(`document.body.innerHTML = '${html}';0`, sessionId);
    const { method, params } = await agent.until(
      (event) => isEmptied(event) || isAttached("iframe")(event),
      from,
    );
    if (method !== "Gantry.tabEmptied") {
      // A Chromium that isolates sites: the frame has a process of its own, and the page around it stays usable.
      const frame = String(params?.["sessionId"]);
      await agent.call("Runtime.runIfWaitingForDebugger", {}, frame);
      await expect
        .poll(() => agent.evaluate("document.cookie", frame))
        .toMatchObject({ message: expect.stringContaining("evil.test") });
      for (const each of ["DOM.getDocument", "DOM.enable", "Page.reload"])
        expect(await messageOf(agent.call(each, {}, frame))).toContain(
          "evil.test",
        );
      expect(await agent.evaluate("document.title", sessionId)).toBe("Home");
    } else
      expect(params).toMatchObject({
        url: home,
        reason: expect.stringContaining("evil.test"),
      });
  });

  test("a frame that shares the process of a page counts as part of it", async () => {
    const { sessionId } = await agent.openTab(home);
    const other = world.at("/", "www.site.test");
    const html = `<iframe src=${other}></iframe>`;
    const from = agent.events.length;
    await agent.evaluate(`document.body.innerHTML = '${html}';0`, sessionId);
    const { params } = await agent.until(
      ({ method }) => method === "Gantry.tabEmptied",
      from,
    );
    expect(params).toMatchObject({
      ...{ url: home, reason: expect.stringContaining("www.site.test") },
    });
  });

  test("a site that is taken away empties the tab with a frame of it", async () => {
    const { port } = world.site;
    world.rules.sites = [`site.test:${port}`, `evil.test:${port}`];
    const { sessionId } = await agent.openTab(home);
    const html = `<iframe src=${evil} onload="document.title = 1"></iframe>`;
    await agent.evaluate(`document.body.innerHTML = '${html}';0`, sessionId);
    await expect
      .poll(() => agent.evaluate("document.title", sessionId))
      .toBe("1");
    world.rules.sites = [`site.test:${port}`];
    world.guard.review();
    await agent.until(({ method }) => method === "Gantry.tabEmptied", 0);
  });

  test("events of a page that may not be open any more are withheld", async () => {
    const { targetId, sessionId } = await agent.openTab(home);
    await agent.call("Runtime.enable", {}, sessionId);
    const { protocol } = world.browser;
    const own = await protocol.send<{ sessionId: string }>(
      ...(["Target.attachToTarget", { targetId, flatten: true }] as const),
    );
    const log = (text: string) =>
      protocol.send(
        ...([
          "Runtime.evaluate",
          { expression: `console.log("${text}")` },
        ] as const),
        own.sessionId,
      );
    await log("before");
    world.rules.sites = ["other.test"];
    await log("s3cret");
    const seen = JSON.stringify(agent.events);
    expect(seen).toContain("before");
    expect(seen).not.toContain("s3cret");
  });

  test("cookies of other sites are not read, and below full none at all", async () => {
    const { sessionId } = await agent.openTab(home);
    await agent.evaluate("document.cookie = 'key=s3cret';0", sessionId);
    const cookiesOf = (url: string) =>
      messageOf(agent.call("Network.getCookies", { urls: [url] }, sessionId));
    expect(await cookiesOf(evil)).toContain("evil.test");
    expect(await cookiesOf(home)).toBe("allowed");
    await agent.call("Network.enable", {}, sessionId);
    world.rules.tier = "act";
    const from = agent.events.length;
    await agent.call("Page.reload", {}, sessionId);
    await agent.until(
      ({ method }) => method === "Network.loadingFinished",
      from,
    );
    const seen = agent.events.slice(from);
    const methods = seen.map(({ method }) => method);
    expect(methods).toContain("Network.requestWillBeSent");
    expect(JSON.stringify(seen)).not.toContain("s3cret");
  });

  test("requests of a site that is not allowed are not answered", async () => {
    const { sessionId } = await agent.openTab(home);
    const patterns = [{ urlPattern: "*" }];
    await agent.call("Fetch.enable", { patterns }, sessionId);
    const from = agent.events.length;
    const html = `<iframe src=${evil}></iframe>`;
    await agent.evaluate(`document.body.innerHTML = '${html}';0`, sessionId);
    const { params } = await agent.until(
      ({ method }) => method === "Fetch.requestPaused",
      from,
    );
    const { requestId } = params ?? {};
    const body = Buffer.from("<script>0</script>").toString("base64");
    for (const [method, more] of [
      ["Fetch.fulfillRequest", { responseCode: 200, body }],
      ["Fetch.continueRequest", { url: home }],
      ["Fetch.getResponseBody", {}],
    ] as const)
      expect(
        await messageOf(agent.call(method, { requestId, ...more }, sessionId)),
      ).toContain("evil.test");
    expect(
      await messageOf(
        agent.call("Fetch.continueRequest", { requestId }, sessionId),
      ),
    ).toBe("allowed");
  });

  test("a page receives only files of the agent's folder", async () => {
    const folder = await mkdtemp(join(tmpdir(), "gantry-folder-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, "a.txt");
    await writeFile(file, "content of a");
    await symlink("/etc/passwd", join(folder, "link"));
    const { sessionId } = await agent.openTab(home);
    const document = await agent.call("DOM.getDocument", {}, sessionId);
    const { nodeId } = document.result?.["root"] as { nodeId: number };
    const query = { nodeId, selector: "#file" };
    const field = await agent.call("DOM.querySelector", query, sessionId);
    const give = (...files: unknown[]) =>
      messageOf(
        agent.call(
          "DOM.setFileInputFiles",
          { nodeId: field.result?.["nodeId"], files },
          sessionId,
        ),
      );
    expect(await give(file)).toContain("no folder");
    world.rules.folder = folder;
    for (const other of ["/etc/passwd", join(folder, "link"), folder, 1])
      expect(await give(other), String(other)).toContain("Gantry:");
    expect(await give(file)).toBe("allowed");
    const script = "document.querySelector('#file').files[0].text()";
    expect(await agent.evaluate(script, sessionId)).toBe("content of a");
  });

  test("workers and worklets of a page run, whatever a client asks for", async () => {
    const { sessionId } = await agent.openTab(world.at("/", "localhost"));
    for (const waitForDebuggerOnStart of [false, true]) {
      const options = { autoAttach: true, waitForDebuggerOnStart };
      await agent.call("Target.setAutoAttach", options, sessionId);
      const from = agent.events.length;
      const answer = agent.evaluate(
        `(async () => {
          const address = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
          await CSS.paintWorklet.addModule(address(""));
          return await new Promise((done) => (new Worker(address("postMessage(7)")).onmessage = ({ data }) => done(data)));
        })()`,
        sessionId,
      );
      const { params } = await agent.until(isAttached("worker"), from);
      const worker = String(params?.["sessionId"]);
      await agent.call("Runtime.runIfWaitingForDebugger", {}, worker);
      expect(await answer).toBe(7);
    }
    // The page ends with its worklets.
    await agent.call("Page.navigate", { url: home }, sessionId);
    await expect
      .poll(() => agent.evaluate("document.title", sessionId))
      .toBe("Home");
  });
});
