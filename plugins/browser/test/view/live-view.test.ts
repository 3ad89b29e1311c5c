import { chromiumPath } from "@gantry/plugin-testing/browser";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TabsChanged } from "../../src/contract.ts";
import type { Tab } from "../../src/contract.ts";
import { addAgents, REAL, startBrowsing } from "../support/start-browsing.ts";
import type { BrowsingBench } from "../support/start-browsing.ts";
import { startPages } from "../support/start-pages.ts";
import type { Pages } from "../support/start-pages.ts";
import { openViewer } from "./support/open-viewer.ts";

const PAGE = `<!doctype html><meta name=viewport content="width=device-width"><title>Watched</title>
<body style="margin:0"><button style="position:absolute;left:40px;top:40px;width:200px;height:60px"
 onclick="n++;document.title='n'+n;document.body.style.background=n%2?'#f00':'#00f'">b</button>
<input style="position:absolute;left:40px;top:140px;width:300px;height:30px"
 oninput="document.title=this.value">
<button style="position:absolute;left:400px;top:40px;width:100px;height:60px"
 onclick="document.title='said '+prompt('Your name?','Ada')">ask</button>
<input type=file style="position:absolute;left:400px;top:140px;width:200px;height:30px"
 onchange="this.files[0].text().then(t=>document.title=this.files.length+this.files[0].name+t)">
<p style="position:absolute;left:40px;top:200px">find me, and Find me again</p><div style="height:4000px"></div>
<script>n=0
addEventListener('scroll',()=>document.title='scrolled '+Math.round(scrollY))
addEventListener('touchstart',()=>document.title='touched')</script>`;

describe.skipIf(chromiumPath === undefined)("a tab that is looked at", () => {
  let bench: BrowsingBench;
  let site: Pages;
  beforeAll(async () => {
    bench = await startBrowsing(REAL);
    site = await startPages({ "/": PAGE, "/next": "<title>Next</title>next" });
  });
  afterAll(async () => {
    await bench?.stop();
    await site?.[Symbol.asyncDispose]();
  });

  /** Polls while time passes: Chromium may lose a frame, and then a still shows what has changed. */
  const rests = <Value>(read: () => Value) =>
    expect.poll(async () => {
      await bench.clock.advance(500);
      return read();
    });

  /** Opens the page and a viewer of it, which has a picture. */
  async function look() {
    const { body } = await bench.post(site.url("/", "localhost"));
    const viewer = await openViewer(bench, body.id);
    await viewer.sees(
      "page",
      ({ page }) => page.title === "Watched" && !page.loading,
    );
    await rests(() => viewer.pictures.length).toBeGreaterThan(0);
    return { id: body.id, viewer };
  }
  const isTitled =
    (title: string) =>
    ({ page }: { page: { title: string } }) =>
      page.title === title;
  /** Lets the time of a still pass, after which the state of the page is read. */
  async function sees(
    viewer: Awaited<ReturnType<typeof openViewer>>,
    title: string,
  ) {
    await expect
      .poll(async () => {
        await bench.clock.advance(500);
        return viewer.messages.some(
          (message) => message.type === "page" && isTitled(title)(message),
        );
      })
      .toBe(true);
  }

  test("shows a click in the next picture, a still at rest, and then nothing", async () => {
    const { id, viewer } = await look();
    const listed = async () =>
      (await bench.tabs()).find((tab) => tab.id === id)?.title;
    viewer.send({
      type: "size",
      width: 600,
      height: 400,
      scale: 1,
      touch: false,
    });
    await expect
      .poll(async () => {
        await bench.clock.advance(150);
        return viewer.pictures.at(-1)?.frame;
      })
      .toMatchObject({ width: 600, height: 400, still: true, format: "webp" });
    await rests(listed).toBe("Watched");
    const { length } = viewer.pictures;
    const announced = bench.events.all(TabsChanged).length;
    viewer.click(100, 60);
    await rests(() => viewer.pictures.length).toBeGreaterThan(length);
    await sees(viewer, "n1");
    await rests(() => viewer.pictures.at(-1)?.frame.still).toBe(true);
    // Lists of tabs beside the view get the new title.
    await rests(() => bench.events.all(TabsChanged).length).toBeGreaterThan(
      announced,
    );
    await expect
      .poll(async () => {
        const before = viewer.pictures.length;
        await bench.clock.advance(5_000);
        return viewer.pictures.length - before;
      })
      .toBe(0);
    viewer.close();
  });

  test("takes keys, pasted and composed text, the wheel, and copies", async () => {
    const { viewer } = await look();
    viewer.click(100, 155);
    await viewer.sees("driver", ({ who }) => who === "user");
    for (const key of "Hix")
      viewer.press(key, `Key${key.toUpperCase()}`, { text: key });
    viewer.press("Backspace", "Backspace");
    viewer.send({ type: "compose", text: "に" });
    viewer.send({ type: "text", text: "日本" });
    await sees(viewer, "Hi日本");
    viewer.press("a", "KeyA", { modifiers: 2 });
    await expect
      .poll(() => {
        viewer.send({ type: "copy" });
        return viewer.messages.findLast(({ type }) => type === "copied");
      })
      .toMatchObject({ text: "Hi日本" });
    viewer.mouse("wheel", 300, 300, { deltaY: 200 });
    await sees(viewer, "scrolled 200");
    await bench.clock.advance(2_000);
    await viewer.sees("driver", ({ who }) => who === null);
    viewer.close();
  });

  test("is touched as on a phone, zoomed, searched and reloaded", async () => {
    const { viewer } = await look();
    viewer.send({
      type: "size",
      width: 390,
      height: 844,
      scale: 2,
      touch: true,
    });
    await rests(() => viewer.pictures.at(-1)?.frame.width).toBe(390);
    viewer.send({
      type: "touch",
      kind: "start",
      points: [{ x: 20, y: 300, id: 1 }],
    });
    viewer.send({ type: "touch", kind: "end", points: [] });
    await sees(viewer, "touched");
    viewer.send({ type: "find", text: "find me" });
    expect(await viewer.sees("find")).toMatchObject({ count: 2 });
    viewer.send({ type: "zoom", percent: 150 });
    await rests(() => viewer.pictures.at(-1)?.frame.width).toBe(260);
    viewer.messages.length = 0;
    viewer.send({ type: "reload" });
    await viewer.sees("page", isTitled("Watched"));
    viewer.close();
  });

  test("opens addresses by the rules of new tabs, and goes back and forward", async () => {
    const { id, viewer } = await look();
    const navigate = (url: string) =>
      bench.api.post<Tab>(`/api/browser/tabs/${id}/navigate`, { url });
    expect(await navigate(site.url("/next", "localhost"))).toMatchObject({
      ...{ status: 200, body: { id } },
    });
    await viewer.sees(
      "page",
      ({ page }) => page.title === "Next" && page.canGoBack,
    );
    for (const url of [
      ...[bench.url, "http://169.254.169.254/latest/meta-data"],
      ...[
        "http://[::ffff:169.254.169.254]/",
        bench.url.replace("127.0.0.1", "localhost"),
      ],
    ])
      expect(await navigate(url)).toMatchObject({
        ...{ status: 403, body: { code: "BROWSER_REFUSED" } },
      });
    for (const url of ["file:///etc/passwd", "javascript:1", "about:blank", ""])
      expect((await navigate(url)).status).toBe(400);
    const [agentId = ""] = await addAgents(bench, 1, ["shop.example"]);
    const { body } = await bench.post("https://shop.example/", agentId);
    expect(
      await bench.api.post(`/api/browser/tabs/${body.id}/navigate`, {
        url: "https://other.example/",
      }),
    ).toMatchObject({ status: 403, body: { code: "BROWSER_REFUSED" } });
    viewer.send({ type: "back" });
    await viewer.sees(
      "page",
      ({ page }) =>
        page.title === "Watched" && page.canGoForward && !page.loading,
    );
    viewer.send({ type: "forward" });
    await viewer.sees(
      "page",
      ({ page }) => page.title === "Next" && !page.canGoForward,
    );
    viewer.close();
  });

  test("asks its viewer what a dialog asks, and dismisses it when the viewer leaves", async () => {
    const { viewer } = await look();
    viewer.click(450, 70);
    expect(await viewer.sees("dialog")).toMatchObject({
      dialog: { kind: "prompt", message: "Your name?", defaultText: "Ada" },
    });
    viewer.send({ type: "dialog", accept: true, text: "Grace" });
    await viewer.sees("dialog", ({ dialog }) => dialog === null);
    await sees(viewer, "said Grace");
    viewer.messages.length = 0;
    viewer.click(450, 70);
    await viewer.sees("dialog", ({ dialog }) => dialog !== null);
    viewer.close();
    await viewer.closed;
    await expect
      .poll(async () => (await bench.tabs()).map(({ title }) => title))
      .toContain("said null");
  });

  test("asks its viewer for files, which are copied first", async () => {
    const { id, viewer } = await look();
    viewer.click(450, 155);
    expect(await viewer.sees("files")).toMatchObject({
      request: { multiple: false },
    });
    const copy = (name: string, tabId = id) =>
      bench.api.request(
        "POST",
        `/api/browser/tabs/${tabId}/files?name=${encodeURIComponent(name)}`,
        {
          body: Buffer.from("hello"),
          headers: { "content-type": "application/octet-stream" },
        },
      );
    const { body } = await copy("../../etc/note.txt");
    expect(body).toMatchObject({ name: "note.txt", size: 5 });
    // What is no id of a file is passed over, above all a path.
    viewer.send({
      type: "files",
      ids: ["/etc/passwd", (body as { id: string }).id],
    });
    await sees(viewer, "1note.txthello");
    await viewer.sees("files", ({ request }) => request === null);
    expect((await copy("a.txt", "A".repeat(32))).status).toBe(404);
    viewer.close();
  });

  test("is shown to several viewers, and tells all of them when it is closed", async () => {
    const { id, viewer } = await look();
    const idle = await openViewer(bench, id, { acknowledges: false });
    await rests(() => idle.pictures.length).toBe(1);
    const { length } = viewer.pictures;
    viewer.click(100, 60);
    await rests(() => viewer.pictures.length).toBeGreaterThan(length);
    expect(idle.pictures).toHaveLength(1);
    await bench.api.delete(`/api/browser/tabs/${id}`);
    for (const each of [viewer, idle]) {
      await each.sees("gone");
      expect(await each.closed).toBe(1000);
    }
    await expect(openViewer(bench, id)).rejects.toThrow("refused");
    expect(
      await bench.api.post(`/api/browser/tabs/${id}/navigate`, {
        url: site.url("/"),
      }),
    ).toMatchObject({ status: 404, body: { code: "BROWSER_TAB_NOT_FOUND" } });
  });

  test("ends a view that sends anything but its messages", async () => {
    const { id, viewer } = await look();
    viewer.close();
    for (const message of [
      ...[{}, { type: "navigate", url: "file:///etc/passwd" }],
      ...[{ type: "mouse", kind: "down", x: 1e9, y: 0 }, { type: "__proto__" }],
      { type: "key", kind: "down", key: "a", commands: ["paste"] },
    ]) {
      const other = await openViewer(bench, id);
      other.send(message);
      expect(await other.closed).toBe(1008);
    }
  });
});
