import { startTestKernel } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import { MyThingAdded } from "../src/contract.ts";
import type { MyThing } from "../src/contract.ts";
import plugin from "../src/index.ts";

const PATH = "/api/my-plugin";

test("a my thing is stored, reported, and there after a restart", async () => {
  await using kernel = await startTestKernel([plugin]);
  const added = await kernel.api.post<MyThing>(PATH, {
    title: "  First ",
    note: "For later",
  });
  expect(added).toMatchObject({
    status: 200,
    body: { title: "First", note: "For later", revision: 1 },
  });
  expect(kernel.events.all(MyThingAdded)).toMatchObject([
    { subject: added.body.id, data: { title: "First" } },
  ]);

  await kernel.restart();
  expect((await kernel.api.get(PATH)).body).toEqual({
    items: [added.body],
    nextCursor: null,
  });
});

test("the list is read page by page, newest first", async () => {
  await using kernel = await startTestKernel([plugin]);
  for (const title of ["One", "Two", "Three"]) {
    await kernel.api.post(PATH, { title });
    await kernel.clock.advance(1000);
  }
  const first = await kernel.api.get<{ nextCursor: string }>(PATH, {
    limit: 2,
  });
  expect(first.body).toMatchObject({
    items: [{ title: "Three" }, { title: "Two" }],
  });
  const rest = await kernel.api.get(PATH, { cursor: first.body.nextCursor });
  expect(rest.body).toMatchObject({
    items: [{ title: "One" }],
    nextCursor: null,
  });
});

test("of ten at once with one title one wins, and the others hear why", async () => {
  await using kernel = await startTestKernel([plugin]);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      kernel.api.post(PATH, { title: index % 2 ? "Same" : "SAME" }),
    ),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(9);
  for (const answer of refused) {
    expect(answer).toMatchObject({
      status: 409,
      body: { code: "MY_PLUGIN_TITLE_TAKEN", errors: [{ path: "title" }] },
    });
  }
  expect(kernel.events.all(MyThingAdded)).toHaveLength(1);
});

test("a request that is sent again with its key has no second effect", async () => {
  await using kernel = await startTestKernel([plugin]);
  const send = () =>
    kernel.api.post(PATH, { title: "Once" }, { "idempotency-key": "a" });
  const first = await send();
  expect(await send()).toMatchObject({ status: 200, body: first.body });
  expect(kernel.events.all(MyThingAdded)).toHaveLength(1);
});

test.each([
  ["no title", {}, "title"],
  ["an empty title", { title: " " }, "title"],
  ["a title that is too long", { title: "x".repeat(201) }, "title"],
  ["a note that is too long", { title: "A", note: "x".repeat(2001) }, "note"],
  ["an unknown field", { title: "A", color: "red" }, "color"],
])("%s is refused and changes nothing", async (_case, body, path) => {
  await using kernel = await startTestKernel([plugin]);
  expect(await kernel.api.post(PATH, body)).toMatchObject({
    status: 400,
    body: { code: "INPUT_INVALID", errors: [{ path }] },
  });
  expect((await kernel.api.get(PATH)).body).toMatchObject({ items: [] });
  expect(kernel.events.all(MyThingAdded)).toEqual([]);
});

test("a stranger learns nothing and adds nothing", async () => {
  await using kernel = await startTestKernel([plugin]);
  const unpaired = { status: 401, body: { code: "AUTH_NOT_PAIRED" } };
  expect(await kernel.stranger.get(PATH)).toMatchObject(unpaired);
  const origin = { origin: kernel.url };
  expect(
    await kernel.stranger.post(PATH, { title: "A" }, origin),
  ).toMatchObject(unpaired);
  expect((await kernel.api.get(PATH)).body).toMatchObject({ items: [] });
});
