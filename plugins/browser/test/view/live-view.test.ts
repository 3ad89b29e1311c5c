import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Tab } from "../../src/view/tab.ts";
import { createRealClock } from "../support/real-clock.ts";
import { hasChromium } from "../support/start-pool.ts";
import { startViews } from "../support/start-views.ts";
import { sitePages } from "../support/test-egress.ts";
import { openViewer } from "../support/viewer.ts";

const PAGE = `<!doctype html><meta name=viewport content="width=device-width"><title>Watched</title>
<body style="margin:0"><button style="position:absolute;left:40px;top:40px;width:200px;height:60px"
 onclick="n++;document.title='n'+n;document.body.style.background=n%2?'#f00':'#00f'">b</button>
<input id=i style="position:absolute;left:40px;top:140px;width:300px;height:30px;caret-color:transparent"
 oninput="document.title=this.value">
<a href="https://other.test/" style="position:absolute;left:40px;top:180px">elsewhere</a>
<p style="position:absolute;left:40px;top:200px">find me, and Find me again</p>
<script>n=0</script>`;

const site = sitePages({ "/": PAGE, "/next": "<title>Next</title>next" });

describe.skipIf(!hasChromium)("the live view", { timeout: 120_000 }, () => {
  let world: Awaited<ReturnType<typeof startViews>>;
  beforeAll(async () => {
    world = await startViews({ site, clock: createRealClock() });
  }, 60_000);
  afterAll(() => world?.kernel.stop(), 60_000);

  async function openTab(url = "http://one.test/") {
    const { status, body } = await world.kernel.api.post<Tab>(
      "/api/browser/tabs",
      { url },
    );
    expect(status).toBe(200);
    return body;
  }

  test.each([1, 2])(
    "at scale %d a click changes the picture, a still follows at rest, and then nothing",
    async (scale) => {
      const { id } = await openTab();
      const viewer = await openViewer(world.kernel, id);
      viewer.send({
        type: "size",
        width: 600,
        height: 400,
        scale,
        touch: false,
      });
      await viewer.sees(
        "tab",
        ({ tab }) => tab.title === "Watched" && !tab.loading,
      );
      const isAtRest = () => viewer.pictures.at(-1)?.frame.still === true;
      await expect.poll(isAtRest, { timeout: 30_000 }).toBe(true);
      const before = viewer.pictures.at(-1)!;
      expect(before.frame).toMatchObject({
        width: 600,
        height: 400,
        format: "webp",
      });

      // On a very slow machine a click while a still at scale 2 is taken can be lost.
      const isClicked = () =>
        viewer.messages.some(
          (message) => message.type === "tab" && /^n\d/.test(message.tab.title),
        );
      for (let tries = 0; tries < 10 && !isClicked(); tries++) {
        viewer.click(100, 60);
        await expect
          .poll(isClicked, { timeout: 4_000 })
          .toBe(true)
          .catch(() => {});
      }
      expect(isClicked()).toBe(true);
      await expect
        .poll(
          () =>
            isAtRest() && !viewer.pictures.at(-1)!.bytes.equals(before.bytes),
          { timeout: 30_000 },
        )
        .toBe(true);

      // A loop would send some pictures in each of these periods.
      const countNew = async () => {
        const { length } = viewer.pictures;
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        return viewer.pictures.length - length;
      };
      await expect.poll(countNew, { timeout: 60_000 }).toBe(0);
      viewer.close();
    },
  );

  test("keys, pasted and composed text reach the page, and the user counts as using the tab for a while", async () => {
    const { id } = await openTab();
    const viewer = await openViewer(world.kernel, id);
    await viewer.sees(
      "tab",
      ({ tab }) => tab.title === "Watched" && !tab.loading,
    );
    viewer.click(100, 155);
    expect(
      await viewer.sees("driver", ({ who }) => who === "user"),
    ).toMatchObject({ agentId: null });
    for (const key of "Hix") {
      viewer.send({
        type: "key",
        kind: "down",
        key,
        code: `Key${key.toUpperCase()}`,
        text: key,
      });
      viewer.send({
        type: "key",
        kind: "up",
        key,
        code: `Key${key.toUpperCase()}`,
      });
    }
    viewer.send({
      type: "key",
      kind: "down",
      key: "Backspace",
      code: "Backspace",
    });
    viewer.send({ type: "compose", text: "に" });
    viewer.send({ type: "text", text: "日本" });
    await viewer.sees("tab", ({ tab }) => tab.title === "Hi日本");
    viewer.send({
      type: "key",
      kind: "down",
      key: "a",
      code: "KeyA",
      modifiers: 2,
    });
    // Keys reach the page in another way than calls, so the selection could be read too early.
    const copied = () => {
      viewer.send({ type: "copy" });
      return viewer.messages.findLast(({ type }) => type === "copied");
    };
    await expect
      .poll(copied, { timeout: 30_000, interval: 200 })
      .toMatchObject({ text: "Hi日本" });
    await viewer.sees("driver", ({ who }) => who === null);
  });

  test("the address bar, back and forward lead where they say, and errors are described", async () => {
    const { id } = await openTab();
    const viewer = await openViewer(world.kernel, id);
    await viewer.sees("tab", ({ tab }) => tab.title === "Watched");
    viewer.send({ type: "navigate", url: "http://one.test/next" });
    await viewer.sees(
      "tab",
      ({ tab }) => tab.title === "Next" && tab.canGoBack && !tab.canGoForward,
    );
    viewer.send({ type: "back" });
    await viewer.sees(
      "tab",
      ({ tab }) =>
        tab.title === "Watched" && tab.canGoForward && !tab.canGoBack,
    );
    viewer.send({ type: "navigate", url: "file:///etc/passwd" });
    await viewer.sees(
      "tab",
      ({ tab }) => tab.error?.includes("http and https") ?? false,
    );
    viewer.send({ type: "navigate", url: "https://one.test/" });
    await viewer.sees(
      "tab",
      ({ tab }) => tab.error?.includes("could not connect") ?? false,
    );
    const { body } = await world.kernel.api.get<{ items: object[] }>(
      "/api/browser/history",
    );
    expect(body.items).toContainEqual(
      expect.objectContaining({
        url: "http://one.test/next",
        title: "Next",
        typed: true,
        agentId: null,
      }),
    );
  });

  test("a failed link is reported as well, and going back recovers", async () => {
    const { id } = await openTab();
    const viewer = await openViewer(world.kernel, id);
    await viewer.sees(
      "tab",
      ({ tab }) => tab.title === "Watched" && !tab.loading,
    );
    viewer.click(60, 190);
    await viewer.sees(
      "tab",
      ({ tab }) => tab.url === "https://other.test/" && tab.error !== null,
    );
    viewer.send({ type: "back" });
    await viewer.sees(
      "tab",
      ({ tab }) => tab.title === "Watched" && tab.error === null,
    );
  });

  test("find counts what it finds", async () => {
    const { id } = await openTab();
    const viewer = await openViewer(world.kernel, id);
    await viewer.sees(
      "tab",
      ({ tab }) => tab.title === "Watched" && !tab.loading,
    );
    viewer.send({ type: "find", text: "find me" });
    expect(await viewer.sees("find")).toMatchObject({ count: 2 });
  });

  test("a crashed page recovers after a reload", async () => {
    const { id } = await openTab();
    const viewer = await openViewer(world.kernel, id);
    await viewer.sees(
      "tab",
      ({ tab }) => tab.title === "Watched" && !tab.loading,
    );
    world.views.find(id)?.live(id)?.session.post("Page.crash");
    await viewer.sees(
      "tab",
      ({ tab }) => tab.error?.includes("Reload") ?? false,
    );
    const { length } = viewer.pictures;
    viewer.send({ type: "reload" });
    await viewer.sees(
      "tab",
      ({ tab }) =>
        tab.error === null && !tab.loading && tab.title === "Watched",
    );
    await expect
      .poll(() => viewer.pictures.length, { timeout: 30_000 })
      .toBeGreaterThan(length);
    viewer.click(100, 60);
    await viewer.sees("tab", ({ tab }) => tab.title === "n1");
  });

  test("closing a tab notifies its viewers, and it is not found any more", async () => {
    const { id } = await openTab();
    const viewer = await openViewer(world.kernel, id);
    expect(
      (await world.kernel.api.delete(`/api/browser/tabs/${id}`)).status,
    ).toBe(200);
    await viewer.sees("gone");
    expect((await viewer.closed).code).toBe(1000);
    expect(
      await world.kernel.api.delete(`/api/browser/tabs/${id}`),
    ).toMatchObject({
      status: 404,
      body: { code: "BROWSER_TAB_NOT_FOUND" },
    });
    await expect(openViewer(world.kernel, id)).rejects.toThrow("refused");
  });
});
