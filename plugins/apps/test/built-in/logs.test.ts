import { definePlugin } from "@gantry/plugin";
import type { Log } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import type { AppBadge, ShownBlock, ShownView } from "../../src/contract.ts";
import { apps } from "../support/apps.ts";

/** A kernel with the app and a plugin that logs what a test says. */
async function startLogs() {
  let log!: Log;
  const writer = definePlugin({
    id: "writer",
    api: 1,
    summary: "Writes to the log",
    mounts: [],
    setup(ctx) {
      ({ log } = ctx);
    },
  });
  const kernel = await startTestKernel([apps, writer]);
  const view = async (path = "") => {
    const { status, body } = await kernel.api.get<ShownView>(
      "/api/apps/logs/view",
      { path },
    );
    expect(status).toBe(200);
    return body;
  };
  const lines = async (path?: string) =>
    (await view(path)).blocks
      .filter(
        (block): block is Extract<ShownBlock, { type: "log" }> =>
          block.type === "log",
      )
      .flatMap((block) => block.lines);
  const texts = async (path?: string) =>
    (await lines(path)).map(({ text }) => text);
  return { kernel, log, view, lines, texts };
}

test("lines are shown oldest first, with owner, fields and level", async () => {
  const { kernel, log, lines, view } = await startLogs();
  await using _kernel = kernel;
  log.info("One", { count: 1, name: "a b" });
  log.warn("Two");
  kernel.expectFault(/^Three/);
  log.error("Three", {}, new Error("Because"));
  const shown = (await lines()).filter(({ text }) => text.startsWith("writer"));
  expect(shown).toMatchObject([
    { text: "writer: One count=1 name=a b", tone: "neutral" },
    { text: "writer: Two", tone: "attention" },
    {
      text: expect.stringMatching(/^writer: Three cause=Error: Because/),
      tone: "failed",
    },
  ]);
  expect(shown[0]?.time).toBe("2026-03-02T12:00:00.000Z");
  expect((await view()).refreshMs).toBe(2000);
});

test("the path filters by level, owner and text", async () => {
  const { kernel, log, texts } = await startLogs();
  await using _kernel = kernel;
  log.info("Reads git");
  log.warn("Reads GIT again");
  log.warn("Writes");
  expect(await texts("level=warn&owner=writer&q=git")).toEqual([
    "writer: Reads GIT again",
  ]);
  expect(await texts("owner=writer")).toHaveLength(3);
  expect(await texts("owner=writer&level=nonsense")).toHaveLength(3);
  expect(await texts("owner=unknown")).toEqual([]);
  expect(await texts("%00=&&&level[]=x&owner=writer")).toHaveLength(3);
});

test("the form leads to the path of its filter, and keeps the owner", async () => {
  const { kernel, view } = await startLogs();
  await using _kernel = kernel;
  const filter = (values: unknown, path = "") =>
    kernel.api
      .post("/api/apps/logs/action", {
        action: "filter",
        path,
        args: { values },
      })
      .then(({ body }) => body);
  expect(await filter({ level: "warn", q: " a&b " }, "owner=git")).toEqual({
    path: "level=warn&owner=git&q=a%26b",
  });
  expect(await filter({ level: "debug", q: "" }, "level=warn&q=x")).toEqual({
    path: "",
  });
  expect(await filter("nonsense")).toEqual({ path: "" });
  expect((await view("level=warn&q=x")).blocks[0]).toMatchObject({
    type: "form",
    fields: [{ value: "warn" }, { value: "x" }],
  });
});

test("each owner has a tab that keeps the other filters", async () => {
  const { kernel, log, view } = await startLogs();
  await using _kernel = kernel;
  log.info("One");
  const { tabs } = await view("level=info&q=x");
  expect(tabs[0]).toEqual({ label: "All", path: "level=info&q=x" });
  expect(tabs).toContainEqual({
    label: "writer",
    path: "level=info&owner=writer&q=x",
  });
});

test("a log of any length fits into a page, its newest lines first of all", async () => {
  const { kernel, log, texts } = await startLogs();
  await using _kernel = kernel;
  for (let count = 0; count < 5000; count++)
    log.info(`${count} ${"x".repeat(200)}`, { a: "y".repeat(256) });
  const shown = await texts("owner=writer");
  expect(shown.length).toBeGreaterThan(500);
  expect(shown.at(-1)).toMatch(/^writer: 4999 x/);
});

test("a page of long lines stays small, and has the newest", async () => {
  const { kernel, log, texts } = await startLogs();
  await using _kernel = kernel;
  const fields = Object.fromEntries(
    Array.from({ length: 15 }, (_, index) => [`f${index}`, "y".repeat(256)]),
  );
  for (let count = 0; count < 300; count++) log.info(`Long ${count}`, fields);
  const shown = await texts("owner=writer");
  expect(shown.length).toBeGreaterThan(50);
  expect(shown.join("").length).toBeLessThanOrEqual(400_000);
  expect(shown.at(-1)).toMatch(/^writer: Long 299 /);
});

test("the badge counts errors of the last hour", async () => {
  const { kernel, log } = await startLogs();
  await using _kernel = kernel;
  const badge = async () => {
    await kernel.clock.advance(1000);
    const { body } = await kernel.api.get<{
      items: { id: string; badge: AppBadge | null }[];
    }>("/api/apps");
    return body.items.find(({ id }) => id === "logs")?.badge;
  };
  expect(await badge()).toBeNull();
  kernel.expectFault(/^Broken/);
  log.error("Broken");
  expect(await badge()).toEqual({
    text: "1",
    tone: "failed",
    label: "1 error in the last hour",
  });
  await kernel.clock.advance(60 * 60 * 1000);
  expect(await badge()).toBeNull();
});
