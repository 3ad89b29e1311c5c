import fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { toKeyPress } from "../../src/tools/keys.ts";
import { fencePageText, toSeenText } from "../../src/tools/page-fence.ts";
import { Refs } from "../../src/tools/refs.ts";
import { writeSnapshot } from "../../src/tools/snapshot.ts";
import type { AxNode, FrameTree } from "../../src/tools/snapshot.ts";
import { toAddress } from "../../src/tools/to-address.ts";
import { toSite } from "../../src/tools/to-site.ts";
import { anyText } from "../support/any-text.ts";

const node = (
  id: number,
  role: string,
  more: Partial<AxNode> = {},
): AxNode => ({
  nodeId: String(id),
  ignored: false,
  role: { value: role },
  backendDOMNodeId: id,
  ...more,
});
const treeOf = (nodes: AxNode[]): FrameTree => ({
  sessionId: "S",
  nodes,
  frames: new Map(),
});

test("a page is written as its elements with refs, flags, values and frames", () => {
  const inner = treeOf([
    node(1, "RootWebArea", { childIds: ["2"] }),
    node(2, "button", { name: { value: "Pay" } }),
  ]);
  const tree = {
    ...treeOf([
      node(1, "RootWebArea", { childIds: ["2", "3", "5", "6"] }),
      node(2, "heading", {
        name: { value: "Cart\n  of Ada" },
        childIds: ["4"],
      }),
      node(3, "checkbox", {
        name: { value: "Gift" },
        properties: [
          { name: "checked", value: { value: "true" } },
          { name: "expanded", value: { value: false } },
        ],
      }),
      node(4, "StaticText", { name: { value: "Cart" } }),
      node(5, "textbox", { name: { value: "Name" }, value: { value: "Ada" } }),
      node(6, "Iframe"),
    ]),
    frames: new Map([["6", { ...inner, sessionId: "F" }]]),
  };
  const refs = new Refs();
  expect(writeSnapshot(tree, refs)).toEqual([
    '- heading "Cart of Ada" [ref=e1]',
    '- checkbox "Gift" [checked] [ref=e2]',
    '- textbox "Name" [ref=e3]: "Ada"',
    "- Iframe [ref=e4]",
    '  - button "Pay" [ref=e5]',
  ]);
  expect(refs.find("e5")).toEqual({ sessionId: "F", backendNodeId: 2 });
});

test("an element keeps its ref, and an old ref never means another one", () => {
  const refs = new Refs();
  const page = (...ids: number[]) =>
    treeOf([
      node(1, "RootWebArea", { childIds: ids.map(String) }),
      ...ids.map((id) => node(id, "button")),
    ]);
  writeSnapshot(page(2, 3), refs);
  expect(writeSnapshot(page(4, 3), refs)).toEqual([
    "- button [ref=e3]",
    "- button [ref=e2]",
  ]);
  expect(() => refs.find("e1")).toThrow("not in the newest snapshot");
  refs.clear();
  expect(writeSnapshot(page(2), refs)).toEqual(["- button [ref=e4]"]);
});

test("a page of any size and depth becomes a text of limited size", () => {
  const wide = treeOf([
    node(0, "RootWebArea", {
      childIds: Array.from({ length: 50_000 }, (_, index) => `${index + 1}`),
    }),
    ...Array.from({ length: 50_000 }, (_, index) =>
      node(index + 1, "link", { name: { value: "x".repeat(5000) } }),
    ),
  ]);
  const deep = treeOf(
    Array.from({ length: 50_000 }, (_, index) =>
      node(index, "group", { childIds: [String(index + 1)] }),
    ),
  );
  for (const tree of [wide, deep]) {
    const lines = writeSnapshot(tree, new Refs());
    expect(lines.join("\n").length).toBeLessThan(60_200);
    expect(lines.at(-1)).toContain("…more");
  }
});

test("invisible characters are not read, and a page cannot close its marks", () => {
  fc.assert(
    fc.property(anyText(60), (text) => {
      const seen = toSeenText(text);
      expect(seen).not.toMatch(/\u202e|\u200b|\ufe0f|\u{e0041}/u);
      const [first, ...rest] = fencePageText(seen).split("\n");
      expect(rest.at(-1)).toBe(first?.replace("<", "</"));
      expect(rest.slice(0, -1).join("\n")).not.toContain(rest.at(-1));
    }),
    { numRuns: runs(30) },
  );
  expect(toSeenText("pay\u202e\u{e0041}\u{e0100} now\n")).toBe("pay now\n");
});

test.for([
  ["Enter", { type: "keyDown", key: "Enter", text: "\r", modifiers: 0 }],
  ["a", { type: "keyDown", key: "a", text: "a", code: "KeyA" }],
  ["Control+a", { type: "rawKeyDown", modifiers: 2, commands: ["selectAll"] }],
  ["Shift+ArrowLeft", { type: "rawKeyDown", key: "ArrowLeft", modifiers: 8 }],
  ["+", { key: "+", text: "+" }],
  ["Control++", { key: "+", modifiers: 2 }],
] as const)("the key %s", ([text, down]) => {
  expect(toKeyPress(text).down).toMatchObject(down);
});

test.for(["Hyper+a", "Enterr", "", "__proto__", "constructor"])(
  "%o is no key",
  (text) => {
    expect(() => toKeyPress(text)).toThrow("no");
  },
);

test.for([
  ["example.com", "https://example.com", "example.com"],
  ["localhost:3000/x", "http://localhost:3000/x", "localhost:3000"],
  ["http://127.0.0.1:8080/", "http://127.0.0.1:8080/", "localhost:8080"],
  [
    "https://Shop.Example:8443/a",
    "https://Shop.Example:8443/a",
    "shop.example",
  ],
  ["file:///etc/passwd", "file:///etc/passwd", undefined],
  ["javascript:alert(1)", "javascript:alert(1)", undefined],
] as const)("the address %s", ([text, url, site]) => {
  expect(toAddress(text)).toBe(url);
  expect(toSite(url)).toBe(site);
});
