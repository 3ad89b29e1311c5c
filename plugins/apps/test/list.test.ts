import { expect, test } from "vitest";
import type { App, AppBadge } from "../src/contract.ts";
import { startAlone, makeApp, makeAuthor, startApps } from "./support/apps.ts";

import { defer, never } from "./support/defer.ts";

test("an app is listed with its plugin and its badge", async () => {
  const badge = () => Promise.resolve({ text: "3" });
  await using kernel = await startApps([makeApp({ badge })]);
  const { status, body } = await kernel.api.get("/api/apps");
  expect(status).toBe(200);
  expect(body).toEqual({
    apiVersion: 1,
    items: [
      {
        id: "notes",
        name: "Notes",
        icon: "i-lucide-notebook",
        summary: "Short notes.",
        plugin: "author",
        badge: { text: "3", tone: "neutral" },
      },
    ],
  });
});

test("apps of two plugins are distinguished, and listed by name", async () => {
  await using kernel = await startAlone([
    makeAuthor("one", [makeApp({ id: "a", name: "Zebra" })]),
    makeAuthor("two", [
      makeApp({ id: "b", name: "apple" }),
      makeApp({ id: "c", name: "Apple" }),
    ]),
  ]);
  const { body } = await kernel.api.get<{ items: App[] }>("/api/apps");
  expect(body.items.map(({ id }) => id)).toEqual(["b", "c", "a"]);
  expect(body.items).toMatchObject([
    { plugin: "two" },
    { plugin: "two" },
    { plugin: "one" },
  ]);
});

/** Badges of all apps, by id. */
async function badgesOf(kernel: { api: { get: unknown } }) {
  const { api } = kernel as Awaited<ReturnType<typeof startApps>>;
  const { body } = await api.get<{
    items: { id: string; badge: AppBadge | null }[];
  }>("/api/apps");
  return Object.fromEntries(
    body.items.map(({ id, badge }) => [id, badge?.text ?? null]),
  );
}

test("a badge that fails, hangs or does not fit is none, and costs the others nothing", async () => {
  const hanging = defer();
  let isAborted = false;
  const badges: Record<string, App["badge"]> = {
    fine: () => Promise.resolve({ text: "1" }),
    none: () => Promise.resolve(null),
    throws: () => {
      throw new Error("secret-of-the-app");
    },
    rejects: () => Promise.reject(new Error("No")),
    "throws-nothing": () => Promise.reject(undefined as never),
    hangs(_input, signal) {
      signal.addEventListener("abort", () => (isAborted = true));
      hanging.resolve();
      return never();
    },
    long: () => Promise.resolve({ text: "x".repeat(21) }),
    huge: () => Promise.resolve({ text: "x".repeat(1e7) }),
    number: () => Promise.resolve(3 as never),
  };
  await using kernel = await startApps(
    Object.entries(badges).map(([id, badge]) =>
      makeApp({ id, name: id, badge }),
    ),
  );
  const asked = badgesOf(kernel);
  await hanging.promise;
  await kernel.clock.advance(999);
  expect(isAborted).toBe(false);
  await kernel.clock.advance(1);
  expect(isAborted).toBe(true);
  expect(await asked).toEqual({
    ...Object.fromEntries(Object.keys(badges).map((id) => [id, null])),
    fine: "1",
  });
});

test("a badge is not asked for again within a second, nor while it hangs", async () => {
  let fine = 0;
  let hung = 0;
  await using kernel = await startApps([
    makeApp({
      id: "fine",
      badge: () => Promise.resolve({ text: String(++fine) }),
    }),
    makeApp({
      id: "hangs",
      badge: () => {
        hung++;
        return never();
      },
    }),
  ]);
  const [first, second] = [badgesOf(kernel), badgesOf(kernel)];
  await expect.poll(() => hung).toBe(1);
  await kernel.clock.advance(999);
  await kernel.clock.advance(1);
  expect(await first).toEqual({ fine: "1", hangs: null });
  expect(await second).toEqual({ fine: "1", hangs: null });
  expect(await badgesOf(kernel)).toEqual({ fine: "2", hangs: null });
  expect([fine, hung]).toEqual([2, 1]);
  await kernel.clock.advance(60_000);
  const later = badgesOf(kernel);
  await expect.poll(() => hung).toBe(2);
  await kernel.clock.advance(1000);
  await later;
});
