import * as fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { expect, test } from "vitest";
import type { AppView } from "../src/contract.ts";
import { makeApp, makeView, startApps } from "./support/apps.ts";

const TYPES = [
  "list",
  "table",
  "detail",
  "form",
  "actions",
  "chart",
  "log",
  "markdown",
  "stack",
  "split",
  "tabs",
];
const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  withObjectString: true,
  withTypedArray: true,
  withSparseArray: true,
});
/** Something that looks like a page, so that it gets further into the schema than anything does. */
const almostView = fc.record(
  {
    title: fc.oneof(fc.string(), anything),
    layout: fc.constantFrom("stack", "split", "grid"),
    blocks: fc.array(
      fc.record(
        {
          type: fc.constantFrom(...TYPES),
          title: fc.string(),
          text: fc.string(),
          rows: fc.array(
            fc.record(
              {
                id: fc.string(),
                cells: fc.dictionary(fc.string(), anything),
                actions: anything,
              },
              { requiredKeys: ["id"] },
            ),
          ),
          columns: fc.array(
            fc.record({ key: fc.string(), label: fc.string() }),
          ),
          facts: fc.array(fc.record({ label: fc.string(), value: anything })),
          fields: anything,
          blocks: anything,
          tabs: anything,
          kind: fc.constantFrom("lines", "bars", "gauge"),
          series: anything,
          lines: anything,
        },
        { requiredKeys: ["type"] },
      ),
    ),
    refreshMs: fc.oneof(fc.integer(), fc.double()),
    refreshOn: anything,
    actions: anything,
  },
  { requiredKeys: ["title", "blocks"] },
);

test("whatever an app gives is shown or refused by its field", async () => {
  let given: unknown;
  await using kernel = await startApps([
    makeApp({
      view: () => Promise.resolve(given as AppView),
      action: () => Promise.resolve(given as never),
    }),
  ]);
  await fc.assert(
    fc.asyncProperty(fc.oneof(anything, almostView), async (value) => {
      given = value;
      const view = await kernel.view("notes");
      expect([200, 502]).toContain(view.status);
      if (view.status === 502)
        expect(view.body).toMatchObject({ code: "APP_VIEW_INVALID" });
      const { status } = await kernel.act("notes", "go");
      expect([200, 502]).toContain(status);
    }),
    { numRuns: runs(300) },
  );
});

test("whatever an app throws is one of four answers", async () => {
  let thrown: unknown;
  await using kernel = await startApps([
    makeApp({ view: () => Promise.reject(thrown as Error) }),
  ]);
  kernel.expectFault(/^App failed/);
  const asError = fc
    .record({
      name: fc.constant("GantryError"),
      code: fc.oneof(fc.constant("AUTH_NOT_PAIRED"), anything),
      status: fc.oneof(fc.integer(), anything),
      message: anything,
      extras: anything,
    })
    .map((fields) => Object.assign(new Error("x"), fields));
  await fc.assert(
    fc.asyncProperty(fc.oneof(anything, asError), async (value) => {
      thrown = value;
      const { status, body } = await kernel.view("notes");
      expect([status, (body as unknown as { code: string }).code]).toSatisfy(
        ([, code]: [number, string]) =>
          ["APP_FAILED", "APP_REFUSED", "APP_PAGE_NOT_FOUND"].includes(code),
      );
    }),
    { numRuns: runs(200) },
  );
});

test("a page of the size that is allowed is checked quickly, a larger one is given up early", async () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      id: String(index),
      cells: { a: { bytes: index }, b: "text" },
    }));
  let view = makeView();
  await using kernel = await startApps([
    makeApp({ view: () => Promise.resolve(view) }),
  ]);
  view = makeView({ blocks: [{ type: "list", rows: rows(5000) }] });
  expect((await kernel.view("notes")).status).toBe(200);
  // Ten million characters of JSON that are never written.
  const large = { length: 0 };
  const endless = new Proxy([] as unknown[], {
    get: (_target, key) =>
      key === "length"
        ? 1e7
        : key === "toJSON"
          ? undefined
          : (large.length++, "x"),
  });
  view = makeView({ blocks: endless as never });
  expect(await kernel.view("notes")).toMatchObject({
    status: 502,
    body: { code: "APP_VIEW_INVALID" },
  });
  expect(large.length).toBeLessThan(1024 * 1024);
});
