import { definePlugin } from "@gantry/plugin";
import type { TestKernel } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import { AppRegistry, AppsChanged } from "../src/contract.ts";
import type { App } from "../src/contract.ts";
import { startAlone, makeApp, makeAuthor, startApps } from "./support/apps.ts";

const idsOf = async (kernel: Pick<TestKernel, "api">) => {
  const { body } = await kernel.api.get<{ items: { id: string }[] }>(
    "/api/apps",
  );
  return body.items.map(({ id }) => id);
};

test("an id is taken once; the error for the second plugin names the first", async () => {
  const refused: unknown[] = [];
  await using kernel = await startAlone([
    makeAuthor("one", [makeApp()]),
    makeAuthor("two", [makeApp()], (error) => refused.push(error)),
  ]);
  expect(await idsOf(kernel)).toEqual(["notes"]);
  expect(refused).toMatchObject([
    {
      code: "APP_TAKEN",
      message:
        "There is an app notes already, of the plugin one; choose another id.",
    },
  ]);
});

test("what is no app is refused with the member that is wrong", async () => {
  const wrong: [unknown, string][] = [
    [null, "it"],
    ["app", "it"],
    [makeApp({ id: "" }), "id"],
    [makeApp({ id: "No" }), "id"],
    [makeApp({ id: "../x" }), "id"],
    [makeApp({ id: "__proto__" }), "id"],
    [makeApp({ id: "constructor" }), "id"],
    [makeApp({ id: "a".repeat(41) }), "id"],
    [makeApp({ name: " " }), "name"],
    [makeApp({ name: "x".repeat(61) }), "name"],
    [makeApp({ icon: "notebook" }), "icon"],
    [makeApp({ summary: "" }), "summary"],
    [makeApp({ view: undefined as never }), "view"],
    [makeApp({ badge: "3" as never }), "badge"],
    [makeApp({ action: {} as never }), "action"],
  ];
  const refused: unknown[] = [];
  await using kernel = await startAlone([
    makeAuthor(
      "author",
      wrong.map(([app]) => app as App),
      (error) => refused.push(error),
    ),
  ]);
  expect(await idsOf(kernel)).toEqual([]);
  expect(
    refused.map(
      (error) =>
        /^TypeError: The app cannot be added: (\w+): /.exec(String(error))?.[1],
    ),
  ).toEqual(wrong.map(([, member]) => member));
});

test("a plugin has at most 100 apps, and takes none from another", async () => {
  const refused: unknown[] = [];
  const many = Array.from({ length: 1000 }, (_, index) =>
    makeApp({ id: `app-${index}` }),
  );
  await using kernel = await startAlone([
    makeAuthor("greedy", many, (error) => refused.push(error)),
    makeAuthor("modest", [makeApp()]),
  ]);
  const ids = await idsOf(kernel);
  expect(ids).toHaveLength(101);
  expect(ids).toContain("notes");
  expect(refused).toHaveLength(900);
  expect(refused[0]).toMatchObject({ code: "APP_TOO_MANY", status: 409 });
});

test("an app is there while its plugin is, and its coming and going is an event", async () => {
  await using kernel = await startApps([makeApp(), makeApp({ id: "tasks" })]);
  await kernel.clock.advance(200);
  await kernel.kernel.plugins.stop("author");
  expect(await idsOf(kernel)).toEqual([]);
  expect(await kernel.view("notes")).toMatchObject({
    status: 404,
    body: { code: "APP_NOT_FOUND" },
  });
  await kernel.clock.advance(200);
  await kernel.kernel.plugins.start();
  expect(await idsOf(kernel)).toEqual(["notes", "tasks"]);
  await kernel.clock.advance(200);
  expect(kernel.events.all(AppsChanged).map(({ data }) => data)).toEqual([
    { apps: ["notes", "tasks"] },
    { apps: [] },
    { apps: ["notes", "tasks"] },
  ]);
});

test("apps come again when the plugin of the apps does", async () => {
  await using kernel = await startApps();
  await kernel.kernel.plugins.stop("apps");
  expect(await kernel.view("notes")).toMatchObject({
    status: 503,
    body: { code: "PLUGIN_UNAVAILABLE" },
  });
  await kernel.kernel.plugins.start();
  expect(await idsOf(kernel)).toEqual(["notes"]);
  expect((await kernel.view("notes")).status).toBe(200);
});

test("an app that comes too late to be taken away is not added", async () => {
  const refused: unknown[] = [];
  const late = definePlugin({
    id: "late",
    api: 1,
    summary: "Adds an app once it is over",
    mounts: [],
    needs: { registry: AppRegistry },
    async setup({ needs: { registry } }) {
      await registry
        .add(makeApp(), AbortSignal.abort(new Error("Over")))
        .catch((error: unknown) => refused.push(error));
    },
  });
  await using kernel = await startAlone([late]);
  expect(refused).toMatchObject([{ message: "Over" }]);
  expect(await idsOf(kernel)).toEqual([]);
});

test("the names of an app are those that it had when it was added", async () => {
  const app = makeApp();
  await using kernel = await startApps([app]);
  app.id = "other";
  app.name = 7 as never;
  expect(await idsOf(kernel)).toEqual(["notes"]);
  const { body } = await kernel.api.get<{ items: App[] }>("/api/apps");
  expect(body.items[0]?.name).toBe("Notes");
});
