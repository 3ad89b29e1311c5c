import { defineErrors } from "@gantry/plugin";
import { expect, test } from "vitest";
import type { AppView } from "../src/contract.ts";
import { makeApp, makeView, startApps } from "./support/apps.ts";
import { defer, never } from "./support/defer.ts";

test("an app that throws shows nothing of what it threw but in the log", async () => {
  const thrown: unknown[] = [
    new Error("Cannot read /home/me/secret"),
    "a text",
    undefined,
    Object.create(null),
    Object.assign(new Error("x"), { name: "GantryError", code: 7 }),
    Object.assign(new Error("x"), { name: "GantryError", code: "X_Y" }),
    {
      get name() {
        throw new Error("again");
      },
    },
  ];
  await using kernel = await startApps([
    makeApp({
      view: ({ path }) => Promise.reject(thrown[Number(path)] as Error),
      action: () => {
        throw new Error("at once");
      },
    }),
  ]);
  kernel.expectFault(/^App failed/);
  for (const index of thrown.keys()) {
    const { status, body, headers } = await kernel.view("notes", String(index));
    expect({ status, body }).toEqual({
      status: 502,
      body: {
        type: "urn:gantry:problem:APP_FAILED",
        title: "The app failed",
        status: 502,
        detail: `The app notes of the plugin author failed. The log of the daemon tells why, under the request ${headers.get("x-request-id")}.`,
        code: "APP_FAILED",
      },
    });
  }
  expect((await kernel.act("notes", "go")).body).toMatchObject({
    code: "APP_FAILED",
  });
  const logged = kernel.log.filter(({ message }) => message === "App failed");
  expect(logged).toHaveLength(thrown.length + 1);
  expect(logged[0]).toMatchObject({
    app: "notes",
    plugin: "author",
    kind: "view",
  });
  expect(logged[0]?.cause).toContain("Cannot read /home/me/secret");
});

const refusals = defineErrors({
  NOTE_NOT_FOUND: {
    status: 404,
    title: "No note",
    detail: "There is no note {id}.",
  },
  NOTE_LOCKED: { status: 423, title: "Locked", detail: "The note is locked." },
  NOTE_BROKEN: { status: 500, title: "Broken", detail: "At /etc/shadow." },
  AUTH_NOT_PAIRED: { status: 401, title: "No", detail: "Pair again." },
  STORAGE_UNAVAILABLE: { status: 200, title: "No", detail: "All is well." },
  STORAGE_FULL: { status: 507, title: "Full", detail: "The disk is full." },
});

test("an app refuses in its own words", async () => {
  await using kernel = await startApps([
    makeApp({
      view: ({ path }) =>
        Promise.reject(refusals[path as "NOTE_NOT_FOUND"]({ id: "7" })),
    }),
  ]);
  kernel.expectFault(/^App failed/);
  expect(await kernel.view("notes", "NOTE_NOT_FOUND")).toMatchObject({
    status: 404,
    body: {
      code: "APP_PAGE_NOT_FOUND",
      detail: "The app notes refused: There is no note 7.",
    },
  });
  expect(await kernel.view("notes", "NOTE_LOCKED")).toMatchObject({
    status: 409,
    body: {
      code: "APP_REFUSED",
      detail: "The app notes refused: The note is locked.",
    },
  });
  expect(await kernel.view("notes", "NOTE_BROKEN")).toMatchObject({
    status: 502,
    body: { code: "APP_FAILED" },
  });
  // Whatever it calls its error, it speaks for itself alone.
  expect(await kernel.view("notes", "AUTH_NOT_PAIRED")).toMatchObject({
    status: 409,
    body: { code: "APP_REFUSED" },
  });
  expect(await kernel.view("notes", "STORAGE_UNAVAILABLE")).toMatchObject({
    status: 502,
    body: { code: "APP_FAILED" },
  });
  expect(await kernel.view("notes", "STORAGE_FULL")).toMatchObject({
    status: 507,
    body: { code: "STORAGE_FULL" },
  });
});

test("an app that takes over 5 s is given up, its signal aborts, and others are served meanwhile", async () => {
  const begun = defer<AbortSignal>();
  await using kernel = await startApps([
    makeApp({
      view(_input, signal) {
        begun.resolve(signal);
        return never();
      },
    }),
    makeApp({ id: "other" }),
  ]);
  const answer = kernel.view("notes");
  const signal = await begun.promise;
  await kernel.clock.advance(4999);
  expect((await kernel.view("other")).status).toBe(200);
  expect(signal.aborted).toBe(false);
  await kernel.clock.advance(1);
  expect(await answer).toMatchObject({
    status: 502,
    body: {
      code: "APP_TIMEOUT",
      detail:
        "The app notes of the plugin author did not answer within 5 s. Try again, or look into the log of the daemon.",
    },
  });
  expect(signal.aborted).toBe(true);
});

test("a call that is over leaves nothing behind", async () => {
  await using kernel = await startApps();
  await kernel.clock.advance(5000);
  const { pending } = kernel.clock;
  await kernel.view("notes");
  await kernel.api.get("/api/apps");
  expect(kernel.clock.pending).toBe(pending);
});

test("what an app answers after its time is dropped", async () => {
  const late = defer<AppView>();
  const begun = defer();
  await using kernel = await startApps([
    makeApp({
      view() {
        begun.resolve();
        return late.promise;
      },
    }),
  ]);
  await kernel.clock.advance(5000);
  const { pending } = kernel.clock;
  const answer = kernel.view("notes");
  await begun.promise;
  await kernel.clock.advance(5000);
  expect((await answer).status).toBe(502);
  late.reject(new Error("Too late"));
  expect(kernel.clock.pending).toBe(pending);
});

test("an app works on four pages at once; the others wait, within their 5 s", async () => {
  const open: (() => void)[] = [];
  let most = 0;
  let atWork = 0;
  await using kernel = await startApps([
    makeApp({
      async view() {
        most = Math.max(most, ++atWork);
        await new Promise<void>((resolve) => open.push(resolve));
        atWork--;
        return makeView();
      },
    }),
    makeApp({ id: "other" }),
  ]);
  const answers = Array.from({ length: 10 }, () => kernel.view("notes"));
  await expect.poll(() => open.length).toBe(4);
  expect((await kernel.view("other")).status).toBe(200);
  open.splice(0, 2).forEach((resolve) => resolve());
  await expect.poll(() => open.length).toBe(4);
  expect(most).toBe(4);
  await kernel.clock.advance(5000);
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(2);
  expect(statuses.filter((status) => status === 502)).toHaveLength(8);
  // Those that hung gave their slots back.
  const begun = open.length;
  const again = kernel.view("notes");
  await expect.poll(() => open.length).toBe(begun + 1);
  open.at(-1)?.();
  expect((await again).status).toBe(200);
});

test("an app whose plugin stops while its page is made is gone", async () => {
  const begun = defer<AbortSignal>();
  await using kernel = await startApps([
    makeApp({
      view(_input, signal) {
        begun.resolve(signal);
        return never();
      },
    }),
  ]);
  const answer = kernel.view("notes");
  const signal = await begun.promise;
  await kernel.kernel.plugins.stop("author");
  expect(await answer).toMatchObject({
    status: 503,
    body: { code: "APP_UNAVAILABLE" },
  });
  expect(signal.aborted).toBe(true);
  expect((await kernel.view("notes")).status).toBe(404);
});

test("the signal aborts when the client leaves", async () => {
  const begun = defer<AbortSignal>();
  await using kernel = await startApps([
    makeApp({
      view(_input, signal) {
        begun.resolve(signal);
        return never();
      },
    }),
  ]);
  const leaving = new AbortController();
  const answer = kernel.api
    .open("/api/apps/notes/view", { signal: leaving.signal })
    .catch(() => "left");
  const signal = await begun.promise;
  leaving.abort();
  expect(await answer).toBe("left");
  await expect.poll(() => signal.aborted).toBe(true);
});

test("an answer that is too long is refused before anything goes through it", async () => {
  const bytes = Buffer.alloc(1024 * 1024);
  let listed = 0;
  bytes.toJSON = () => {
    listed++;
    return { type: "Buffer", data: [] };
  };
  const text = new String("x".repeat(2 * 1024 * 1024));
  const parts: unknown[] = [
    ...[bytes, new Uint8Array(2 ** 28), new Float64Array(2 ** 26)],
    ...[new Array(2 ** 32 - 1), text],
    { toJSON: () => bytes },
  ];
  const answers = parts.flatMap((part) => [
    part,
    makeView({ blocks: part as [] }),
    makeView({ blocks: [{ deep: [{ part }] }] as never }),
  ]);
  await using kernel = await startApps([
    makeApp({
      view: ({ path }) => Promise.resolve(answers[Number(path)] as AppView),
      badge: () => Promise.resolve(bytes as never),
    }),
  ]);
  for (const index of answers.keys())
    expect(await kernel.view("notes", String(index))).toMatchObject({
      status: 502,
      body: {
        code: "APP_VIEW_INVALID",
        detail: expect.stringContaining("longer than") as string,
      },
    });
  expect((await kernel.api.get("/api/apps")).status).toBe(200);
  expect(listed).toBe(0);
});
