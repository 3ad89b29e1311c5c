import type { TestKernel } from "@gantry/plugin-testing";
import * as fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { AppsChanged } from "../src/contract.ts";
import { startAlone, makeApp, makeAuthor } from "./support/apps.ts";

/** A kernel with a plugin for each app, called like it, so that each can go on its own. */
const startWith = (...ids: string[]) =>
  startAlone([...ids.map((id) => makeAuthor(id, [makeApp({ id, name: id })]))]);
const put = (kernel: TestKernel, ...ids: string[]) =>
  kernel.api.put("/api/apps/order", { ids });
const order = async (kernel: TestKernel) =>
  (await kernel.api.get<{ ids: string[] }>("/api/apps/order")).body.ids;

test("the order is kept, and apps that it does not name come behind by name", async () => {
  await using kernel = await startWith("a", "b", "c", "d");
  expect(await order(kernel)).toEqual(["a", "b", "c", "d"]);
  const answer = await put(kernel, "d", "b");
  expect(answer).toMatchObject({
    status: 200,
    body: { ids: ["d", "b", "a", "c"] },
  });
  await kernel.restart();
  expect(await order(kernel)).toEqual(["d", "b", "a", "c"]);
  const { body } = await kernel.api.get<{ items: { id: string }[] }>(
    "/api/apps",
  );
  expect(body.items.map(({ id }) => id)).toEqual(["d", "b", "a", "c"]);
  expect((await put(kernel)).body).toEqual({ ids: ["a", "b", "c", "d"] });
});

test("a change is an event that names all apps, a refusal is none", async () => {
  await using kernel = await startWith("a", "b", "c");
  await kernel.clock.advance(200);
  const before = kernel.events.all(AppsChanged).length;
  await put(kernel, "b");
  await put(kernel, "x");
  const told = kernel.events.all(AppsChanged).slice(before);
  expect(told.map(({ data }) => data)).toEqual([{ apps: ["b", "a", "c"] }]);
});

test.each([
  [["x"], "It names x, which is no app; list the apps with GET /api/apps."],
  [["a", "a"], "It names a twice; list the apps with GET /api/apps."],
  [
    ["../x"],
    "It names ???x, which is no app; list the apps with GET /api/apps.",
  ],
  [
    ["__proto__"],
    "It names __proto__, which is no app; list the apps with GET /api/apps.",
  ],
])("the order %j is refused, and nothing changes", async (ids, detail) => {
  await using kernel = await startWith("a", "b");
  await put(kernel, "b", "a");
  expect(await put(kernel, ...ids)).toMatchObject({
    status: 400,
    body: { code: "APP_ORDER_UNKNOWN", detail },
  });
  expect(await order(kernel)).toEqual(["b", "a"]);
});

test("an app that is away keeps its place", async () => {
  await using kernel = await startWith("a", "b", "c", "d");
  await put(kernel, "d", "c", "b", "a");
  await kernel.kernel.plugins.stop("c");
  expect(await order(kernel)).toEqual(["d", "b", "a"]);
  // One that was read before it left may be sent back.
  expect((await put(kernel, "d", "c", "b", "a")).status).toBe(200);
  await put(kernel, "a", "d", "b");
  await kernel.kernel.plugins.start();
  expect(await order(kernel)).toEqual(["a", "d", "c", "b"]);
});

test("an order of anything leaves each app there once, those named first", async () => {
  const all = ["a", "b", "c", "d", "e"];
  await using kernel = await startWith(...all);
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(all), async (ids) => {
      expect((await put(kernel, ...ids)).status).toBe(200);
      const now = await order(kernel);
      expect(now.slice(0, ids.length)).toEqual(ids);
      expect([...now].sort()).toEqual(all);
    }),
    { numRuns: runs(30) },
  );
});

test("many changes at once end as one of them", async () => {
  await using kernel = await startWith("a", "b", "c");
  const orders = [
    ["a", "b", "c"],
    ["b", "c", "a"],
    ["c", "a", "b"],
  ];
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      put(kernel, ...orders[index % 3]!),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(orders).toContainEqual(await order(kernel));
});
