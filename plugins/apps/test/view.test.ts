import { definePlugin } from "@gantry/plugin";
import { expect, test } from "vitest";
import { AppRegistry } from "../src/contract.ts";
import type { App, AppView } from "../src/contract.ts";
import { makeApp, makeView, startAlone, startApps } from "./support/apps.ts";

const showing = (view: unknown) =>
  makeApp({ view: () => Promise.resolve(view as AppView) });

test("a page is given with all defaults filled in", async () => {
  const asked: unknown[] = [];
  const view: App["view"] = (input) => {
    asked.push(input);
    const blocks: AppView["blocks"] = [
      { type: "list", rows: [{ id: "1", title: "Milk" }] },
    ];
    return Promise.resolve(makeView({ blocks }));
  };
  await using kernel = await startApps([makeApp({ view })]);
  expect(await kernel.view("notes", "list?q=a&b")).toMatchObject({
    status: 200,
    body: {
      title: "Notes",
      layout: "stack",
      tabs: [],
      actions: [],
      refreshOn: [],
      blocks: [
        {
          type: "list",
          columns: [],
          empty: "Nothing here.",
          isSearchable: false,
          selection: [],
          rows: [
            { id: "1", title: "Milk", tone: "neutral", cells: {}, actions: [] },
          ],
        },
      ],
    },
  });
  await kernel.view("notes");
  expect(asked).toEqual([{ path: "list?q=a&b" }, { path: "" }]);
});

test("an app is called as code of its plugin", async () => {
  const author = definePlugin({
    id: "author",
    api: 1,
    summary: "Tells who calls it",
    mounts: [],
    needs: { apps: AppRegistry },
    setup(ctx) {
      const title = () => String(ctx.caller()?.plugin);
      const view = async () => {
        await Promise.resolve();
        return makeView({ title: title() });
      };
      const badge = () => Promise.resolve({ text: title() });
      return ctx.needs.apps.add(makeApp({ view, badge }), ctx.signal);
    },
  });
  await using kernel = await startAlone([author]);
  // Only code that runs as the author's has a caller, in its eyes.
  const { body } = await kernel.api.get("/api/apps/notes/view");
  expect(body).toMatchObject({ title: "apps" });
  expect((await kernel.api.get("/api/apps")).body).toMatchObject({
    items: [{ badge: { text: "apps" } }],
  });
});

test("an app is called on itself", async () => {
  class Notes {
    id = "notes";
    name = "Notes";
    icon = "i-lucide-notebook";
    summary = "Short notes.";
    #count = 0;
    view() {
      return Promise.resolve(makeView({ title: `Seen ${++this.#count}` }));
    }
  }
  await using kernel = await startApps([new Notes()]);
  await kernel.view("notes");
  expect((await kernel.view("notes")).body.title).toBe("Seen 2");
});

const row = { id: "1" };
const list = (own: object) =>
  makeView({ blocks: [{ type: "list", rows: [], ...own } as never] });
const table = (own: object) =>
  makeView({
    blocks: [
      {
        type: "table",
        columns: [{ key: "a", label: "A" }],
        rows: [],
        ...own,
      } as never,
    ],
  });
const chart = (own: object) =>
  makeView({
    blocks: [{ type: "chart", title: "T", kind: "lines", ...own } as never],
  });
const field = (own: object) =>
  makeView({
    blocks: [
      {
        type: "form",
        action: "save",
        fields: [{ type: "text", name: "a", label: "A", ...own }],
      } as never,
    ],
  });
const button = (own: object) =>
  makeView({ actions: [{ label: "Go", ...own } as never] });
const deep = () => {
  let value: unknown = {};
  for (let depth = 0; depth < 20; depth++) value = { value };
  return value as object;
};
const circle = () => {
  const value: Record<string, unknown> = {};
  value.value = value;
  return value;
};

test.each<[unknown, string]>([
  [undefined, "the answer"],
  [null, "the answer"],
  ["page", "the answer"],
  [[], "the answer"],
  [7n, "the answer"],
  [circle(), "the answer"],
  [() => 1, "the answer"],
  [{}, "title"],
  [makeView({ title: "" }), "title"],
  [makeView({ title: "x".repeat(301) }), "title"],
  [{ ...makeView(), more: 1 }, "the answer"],
  [makeView({ blocks: {} as never }), "blocks"],
  [
    makeView({
      blocks: Array.from({ length: 51 }, () => ({
        type: "markdown",
        text: "",
      })),
    }),
    "blocks",
  ],
  [makeView({ blocks: [{ type: "video" } as never] }), "blocks.0.type"],
  [makeView({ blocks: [{ type: "markdown" } as never] }), "blocks.0.text"],
  [makeView({ refreshMs: 999 }), "refreshMs"],
  [makeView({ refreshMs: Infinity }), "refreshMs"],
  [makeView({ refreshOn: ["all"] }), "refreshOn.0"],
  [list({ rows: [row, row] }), "blocks.0.rows.1.id"],
  [
    list({ rows: [{ ...row, cells: { a: { bytes: -1 } } }] }),
    "blocks.0.rows.0.cells.a.bytes",
  ],
  [
    list({
      rows: [
        { ...row, cells: { a: { text: "x", url: "javascript:alert(1)" } } },
      ],
    }),
    "blocks.0.rows.0.cells.a.url",
  ],
  [
    list({
      rows: [{ ...row, cells: { a: { text: "x", page: "//evil.example" } } }],
    }),
    "blocks.0.rows.0.cells.a.page",
  ],
  [
    list({ rows: [{ ...row, cells: { a: { time: "yesterday" } } }] }),
    "blocks.0.rows.0.cells.a.time",
  ],
  [list({ rows: [{ ...row, cells: { a: [] } }] }), "blocks.0.rows.0.cells.a"],
  [
    list({ rows: [{ ...row, cells: { a: { bytes: 1, time: 2 } } }] }),
    "blocks.0.rows.0.cells.a.time",
  ],
  [
    list({ rows: [{ ...row, cells: { a: "x".repeat(2001) } }] }),
    "blocks.0.rows.0.cells.a",
  ],
  [table({ columns: [] }), "blocks.0.columns"],
  [
    table({ columns: [{ key: "constructor", label: "A" }] }),
    "blocks.0.columns.0.key",
  ],
  [
    table({
      columns: [
        { key: "a", label: "A" },
        { key: "a", label: "B" },
      ],
    }),
    "blocks.0.columns.1.key",
  ],
  [table({ sort: { key: "b" } }), "blocks.0.sort.key"],
  [chart({ kind: "gauge" }), "blocks.0.value"],
  [
    chart({
      times: ["2026-01-01T00:00:00Z"],
      series: [{ label: "A", values: [] }],
    }),
    "blocks.0.series.0.values",
  ],
  [chart({ labels: ["a"] }), "blocks.0.labels"],
  [field({ type: "secret", value: "hunter2" }), "blocks.0.fields.0.value"],
  [
    field({
      type: "choice",
      choices: [{ value: "x", label: "X" }],
      value: "y",
    }),
    "blocks.0.fields.0.value",
  ],
  [field({ name: "Not a name" }), "blocks.0.fields.0.name"],
  [button({}), "actions.0"],
  [button({ action: "a", path: "b" }), "actions.0"],
  [button({ action: "a", args: deep() }), "actions.0.args"],
  [button({ action: "a", icon: "trash" }), "actions.0.icon"],
  [makeView({ title: "x", description: "y".repeat(2e6) }), "the answer"],
  [{ toJSON: () => ({ title: "x" }) }, "blocks"],
])("the page %o is refused by its field %s", async (view, path) => {
  await using kernel = await startApps([showing(view)]);
  const { status, body } = await kernel.view("notes");
  expect({ status, body }).toMatchObject({
    status: 502,
    body: { code: "APP_VIEW_INVALID" },
  });
  const { detail } = body as unknown as { detail: string };
  const named =
    /^The app notes of the plugin author gave what cannot be shown: (.+?): /.exec(
      detail,
    );
  expect(named?.[1], detail).toBe(path);
  expect(detail.length).toBeLessThan(700);
  expect(detail).not.toContain("hunter2");
});
