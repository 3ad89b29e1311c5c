import { chromiumPath } from "@gantry/plugin-testing/browser";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { REAL, startBrowsing } from "../support/start-browsing.ts";
import type { BrowsingBench } from "../support/start-browsing.ts";
import { startPages } from "../support/start-pages.ts";
import type { Pages } from "../support/start-pages.ts";
import { openViewer } from "../view/support/open-viewer.ts";

/** Places an element of 100 by 30 pixels in the left column, at a height. */
const at = (top: number, more = "") =>
  `style="position:absolute;margin:0;left:10px;top:${top}px;width:100px;height:30px;${more}"`;
const HIDDEN_TEXT = "\u202etxt\u200b";
const toPage = (otherSite: string) => `<!doctype html>
<meta charset=utf-8><meta name=viewport content="width=device-width"><title>Odd</title><body style="margin:0">
<button data-testid=pay ${at(10)}>Pay</button>
<ul><li ${at(50)}>Same</li><li ${at(90)}>Same</li></ul>
<form id="form-1a2b3c4d" class="checkout" ${at(130)}><input name=innerText style="position:absolute;left:70px"
 ><input name=parentElement hidden><input name=localName hidden><input name=getAttribute hidden>${HIDDEN_TEXT}</form>
<img name=querySelectorAll hidden><img name=createElement hidden>
<x-open id=open ${at(170)}></x-open>
<x-closed ${at(210)}></x-closed>
<iframe srcdoc="<body style='margin:0'><b style='display:block;height:30px'>Inner</b>" ${at(250)} frameborder=0></iframe>
<iframe src="${otherSite}" name=other ${at(290)} frameborder=0></iframe>
<p class=note ${at(330)}></p><style>.note::before{content:"drawn";display:inline-block;width:90px}</style>
<div ${at(370, "pointer-events:none;z-index:1")}>Over</div><a href="/under" ${at(370)}>Under</a>
<input type=password aria-label=Password value=secret ${at(410)}>
<p id="a\u202eb" ${at(450)}>Marked</p>
<textarea ${at(490)} oninput="document.title='Matches '+this.value.split('|').map(css=>document.body.querySelectorAll(css).length)"></textarea>
<button ${at(530)} onclick="document.title='Scrolled';window.scrollTo(0,1000)"></button>
<div ${at(1300)}>Below</div><div style="height:4000px"></div>
<script>
const fill = (name, mode, html) => document.body.querySelector(name).attachShadow({ mode }).innerHTML = html;
fill("x-open", "open", '<i></i><span style="display:block;height:30px">Shadow</span>');
fill("x-closed", "closed", '<button style="width:100px;height:30px">Closed</button><section><button>2</button></section>');
</script>`;
const WIDE = `<title>Wide</title><body style="margin:0">
<button style="position:absolute;left:600px;top:400px;width:200px;height:100px">Wide</button>`;

/** What is picked at each height of the left column. */
const ELEMENTS = {
  10: ['[data-testid="pay"]', "Pay", "button"],
  50: ["li:nth-of-type(1)", "Same", "li"],
  90: ["li:nth-of-type(2)", "Same", "li"],
  130: ["form", "txt\u200b", "form"],
  170: ["#open >>> span", "Shadow", "span"],
  210: ["x-closed >>> :host > button:nth-of-type(1)", "Closed", "button"],
  250: ["iframe:nth-of-type(1) >>> b", "Inner", "b"],
  290: ['iframe[name="other"] >>> button', "Other", "button"],
  330: ["p.note", "", "p"],
  370: ['a[href="\\/under"]', "Under", "a"],
  410: ['input[aria-label="Password"]', "Password", "input"],
  450: ["p:nth-of-type(2)", "Marked", "p"],
} as const;

describe.skipIf(chromiumPath === undefined)("an element pointed at", () => {
  let bench: BrowsingBench;
  let site: Pages;
  beforeAll(async () => {
    bench = await startBrowsing(REAL);
    const other = `<body style="margin:0"><button style="width:100px;height:30px">Other</button>`;
    site = await startPages({
      "/": (response) =>
        response
          .writeHead(200, { "content-type": "text/html" })
          .end(toPage(site.url("/other", "127.0.0.1"))),
      "/other": other,
      "/wide": WIDE,
      "/busy": `<title>Busy</title><button style="position:absolute;left:0;top:0;width:100px;height:100px" onclick="for(;;);"></button>`,
    });
    // The user's browser reaches a port of this machine once an address of it was opened.
    const { body } = await bench.post(site.url("/other", "127.0.0.1"));
    await bench.api.delete(`/api/browser/tabs/${body.id}`);
  });
  afterAll(async () => {
    await bench?.stop();
    await site?.[Symbol.asyncDispose]();
  });

  async function look(path: string, title: string, size: object = {}) {
    const { body } = await bench.post(site.url(path, "localhost"));
    const viewer = await openViewer(bench, body.id);
    const shape = { width: 800, height: 600, scale: 1, touch: false, ...size };
    viewer.send({ type: "size", ...shape });
    // A title that comes after the page has loaded is read with the next still.
    await expect
      .poll(async () => {
        await bench.clock.advance(500);
        return viewer.messages.some(
          (message) =>
            message.type === "page" &&
            message.page.title === title &&
            !message.page.loading,
        );
      })
      .toBe(true);
    // The size of the page is that of its pictures, one of which may be lost until a still is taken.
    await expect
      .poll(async () => {
        await bench.clock.advance(500);
        return viewer.pictures.at(-1)?.frame.width;
      })
      .toBe(shape.width);
    return { id: body.id, viewer };
  }
  type Viewer = Awaited<ReturnType<typeof look>>["viewer"];
  async function ask(
    viewer: Viewer,
    type: "point" | "pick",
    x: number,
    y: number,
  ) {
    viewer.messages.length = 0;
    viewer.send({ type, x, y });
  }
  async function pick(viewer: Viewer, x: number, y: number) {
    await ask(viewer, "pick", x, y);
    return await viewer.sees("picked");
  }
  const isTitled = async (viewer: Viewer, title: string) =>
    expect
      .poll(async () => {
        await bench.clock.advance(500);
        return viewer.messages.some(
          (message) => message.type === "page" && message.page.title === title,
        );
      })
      .toBe(true);

  test("is told apart by a selector, also in frames, shadow roots and forms whose fields hide its members", async () => {
    const { viewer } = await look("/", "Odd");
    const unique: string[] = [];
    for (const [top, [selector, text, label]] of Object.entries(ELEMENTS)) {
      const { element, problem } = await pick(viewer, 30, Number(top) + 15);
      expect(problem).toBeNull();
      expect(element).toMatchObject({
        ...{ selector, text, label, title: "Odd" },
        url: site.url("/", "localhost"),
        box: { x: 10, y: Number(top) },
        shown: { x: 10, y: Number(top) },
      });
      expect(element?.styles).toContainEqual({
        ...{ name: "opacity", value: "1" },
      });
      if (!selector.includes(">>>")) unique.push(selector);
    }
    viewer.click(30, 505);
    viewer.send({ type: "text", text: unique.join("|") });
    await isTitled(viewer, `Matches ${unique.map(() => 1).join()}`);
    // Looking is not using: an agent need not wait for it.
    await ask(viewer, "point", 30, 305);
    expect(await viewer.sees("pointed")).toMatchObject({
      element: { box: { x: 10, y: 290, width: 100, height: 30 } },
    });
    viewer.click(30, 545);
    await isTitled(viewer, "Scrolled");
    expect(await pick(viewer, 30, 315)).toMatchObject({
      element: { text: "Below", shown: { y: 300 }, box: { y: 1300 } },
    });
  });

  test(
    "is found on a page that is scaled to a phone",
    { tags: ["thorough"] },
    async () => {
      const phone = { width: 390, height: 844, scale: 2, touch: true };
      const { viewer } = await look("/wide", "Wide", phone);
      const factor = 390 / 980;
      const { element } = await pick(viewer, 650 * factor, 450 * factor);
      expect(element).toMatchObject({ selector: "button", text: "Wide" });
      expect(element?.shown.x).toBeCloseTo(600 * factor, 0);
      expect(element?.box.x).toBeCloseTo(600, 0);
      expect(element?.box.width).toBeCloseTo(200, 0);
    },
  );

  test(
    "that cannot be read is answered with the reason",
    { tags: ["thorough"] },
    async () => {
      const { viewer } = await look("/busy", "Busy");
      viewer.click(50, 50);
      await ask(viewer, "pick", 50, 50);
      await ask(viewer, "point", 50, 50);
      await expect
        .poll(async () => {
          await bench.clock.advance(5_000);
          return viewer.messages.find(({ type }) => type === "picked");
        })
        .toMatchObject({ element: null, problem: /does not answer/ });
      expect(await viewer.sees("pointed")).toMatchObject({ element: null });
      const { body } = await bench.post(site.url("/download", "nowhere.test"));
      const lost = await openViewer(bench, body.id);
      await expect
        .poll(
          async () =>
            (await bench.tabs()).find(({ id }) => id === body.id)?.problem,
        )
        .toBeTruthy();
      expect((await pick(lost, 10, 10)).element?.url).not.toMatch(/chrome/);
    },
  );
});
