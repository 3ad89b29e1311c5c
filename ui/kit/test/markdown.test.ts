import { mount } from "@vue/test-utils";
import { expect, test, vi } from "vitest";
import { MarkdownView } from "../src/index.ts";
import MarkdownBody from "../src/markdown/MarkdownBody.ts";
import { mountInKit } from "./support/mountInKit.ts";

const render = (source: string) =>
  mountInKit(MarkdownBody, { props: { source } }).wrapper;

test("renders what people write", () => {
  const wrapper = render(
    "# Title\n\nA *b* **c** ~~d~~ `e`.\n\n- one\n- two\n  1. three\n\n> quote\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n---\n\n- [x] done\n- [ ] open",
  );
  expect(wrapper.get('h3[data-depth="1"]').text()).toBe("Title");
  expect(wrapper.get("p").html()).toContain("<em>b</em>");
  expect(wrapper.get("strong").text()).toBe("c");
  expect(wrapper.get("del").text()).toBe("d");
  expect(wrapper.get("p code").text()).toBe("e");
  expect(wrapper.get("ul ol li").text()).toBe("three");
  expect(wrapper.get("blockquote").text()).toBe("quote");
  expect(wrapper.findAll("td")[1]?.attributes("style")).toContain("right");
  expect(wrapper.find("hr").exists()).toBe(true);
  expect(
    wrapper
      .findAll("input[type=checkbox]")
      .map((box) => box.attributes("aria-label")),
  ).toEqual(["done", "to do"]);
});

test("code keeps every character and names its language", () => {
  const wrapper = render("```ts title=x\nconst a = `<b>&amp;`;\n```");
  expect(wrapper.get("pre code").text()).toBe("const a = `<b>&amp;`;");
  expect(wrapper.get("figcaption").text()).toBe("ts");
});

test.each([
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "a <b onclick=alert(1)>b</b>",
  "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
  "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
  "<a href='javascript:alert(1)'>x</a>",
  "<style>*{display:none}</style>",
])("HTML is shown as text: %s", (source) => {
  const wrapper = render(source);
  expect(wrapper.find("script, img, iframe, svg, style, b, a").exists()).toBe(
    false,
  );
  expect(wrapper.text()).toContain(source.slice(0, 12));
});

test.each([
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](java\nscript:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  "[x](vbscript:x)",
  "[x](file:///etc/passwd)",
  "[x](/api/auth/logout)",
  "[x](//evil.example)",
  "[x][1]\n\n[1]: javascript:alert(1)",
])("has no link: %s", (source) => {
  expect(render(source).find("a[href]").exists()).toBe(false);
});

test.each([
  ["[x](https://a.example/b?c#d)", "https://a.example/b?c#d"],
  ["<https://a.example/>", "https://a.example/"],
  ["see www.a.example now", "http://www.a.example/"],
  ["[x](mailto:a@b.example)", "mailto:a@b.example"],
])("%s leads there, without telling where from", (source, href) => {
  const link = render(source).get("a");
  expect(link.attributes()).toMatchObject({
    href,
    target: "_blank",
    rel: "noopener noreferrer nofollow",
  });
});

test("a picture is shown if it is in the text; one that had to be fetched is a link or its label", () => {
  const own = window.location.origin;
  const wrapper = render(
    `![a](data:image/png;base64,AAAA) ![b](/api/picture) ![c](https://spy.example/p.png) ![d](javascript:x) ![e](data:text/html,x) ![f](${own}/api/picture) ![g](favicon.svg) ![h](blob:${own}/x) ![i](//spy.example/p.png) ![](/api/x)`,
  );
  expect(
    wrapper.findAll("img").map((image) => image.attributes("alt")),
  ).toEqual(["a"]);
  expect(wrapper.findAll("a").map((link) => link.attributes("href"))).toEqual([
    "https://spy.example/p.png",
    `${own}/api/picture`,
  ]);
  expect(wrapper.text()).toMatch(/b .*d .*e .*g .*h .*i picture/);
});

test("character references are read, and broken ones left", () => {
  expect(
    render("a &amp; b &lt;c&gt; &#65;&#x42; &nope; &#0; &#xD800;").text(),
  ).toBe("a & b <c> AB &nope; \ufffd \ufffd");
});

test("a text that grows leaves the elements before its end as they are", async () => {
  const wrapper = mount(MarkdownBody, { props: { source: "# One\n\nTwo" } });
  const heading = wrapper.get("h3").element;
  await wrapper.setProps({ source: "# One\n\nTwo and more\n\nThree" });
  expect(wrapper.get("h3").element).toBe(heading);
  expect(wrapper.findAll("p").map((paragraph) => paragraph.text())).toEqual([
    "Two and more",
    "Three",
  ]);
  await wrapper.setProps({ source: "# Else" });
  expect(wrapper.text()).toBe("Else");
});

test("a definition further down makes a link further up", async () => {
  const wrapper = mount(MarkdownBody, { props: { source: "[x][1]" } });
  expect(wrapper.find("a").exists()).toBe(false);
  await wrapper.setProps({ source: "[x][1]\n\n[1]: https://a.example" });
  expect(wrapper.get("a").attributes("href")).toBe("https://a.example/");
});

test("a very long word may break, and is copied as it was", () => {
  const word = "=".repeat(5_000);
  const wrapper = render(`before ${word} after, and https://a.example/x`);
  expect(wrapper.text()).toBe(`before ${word} after, and https://a.example/x`);
  const pieces = [...wrapper.get("p").element.childNodes].map(
    ({ textContent }) => textContent?.length ?? 0,
  );
  expect(Math.max(...pieces)).toBeLessThan(100);
  expect(render("before and after").find("wbr").exists()).toBe(false);
});

test("a text is shown as it was written until the parser is there, and the next one never", async () => {
  const show = () =>
    mountInKit(MarkdownView, { props: { source: "**b**" } }).wrapper;
  const first = show();
  expect(first.text()).toBe("**b**");
  await vi.waitFor(() => expect(first.get("strong").text()).toBe("b"));
  expect(show().get("strong").text()).toBe("b");
});

test("a text is never shown as it was written once the parser was loaded", async () => {
  vi.resetModules();
  const kit = await import("../src/index.ts");
  await kit.loadMarkdown();
  const { wrapper } = mountInKit(kit.MarkdownView, {
    props: { source: "**b**" },
  });
  expect(wrapper.get("strong").text()).toBe("b");
});

test("headings leave no level of the page out, whatever marks they have", () => {
  const levels = (source: string, level?: number) =>
    mountInKit(MarkdownBody, { props: { source, level } })
      .wrapper.findAll("h1, h2, h3, h4, h5, h6")
      .map(({ element }) => element.tagName);
  expect(levels("### a\n\n# b\n\n### c\n\n#### d")).toEqual([
    "H3",
    "H3",
    "H4",
    "H5",
  ]);
  expect(levels("## a\n\ntext\n\n### b", 2)).toEqual(["H2", "H3"]);
});

test("each block has the direction of its own language", () => {
  const blocks = render("مرحبا\n\n- one\n\n> two").findAll("[dir=auto]");
  expect(blocks.map(({ element }) => element.tagName)).toEqual([
    "P",
    "UL",
    "BLOCKQUOTE",
    "P",
  ]);
});
