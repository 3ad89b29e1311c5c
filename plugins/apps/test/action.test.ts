import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { AppActed } from "../src/contract.ts";
import type { App, AppAction } from "../src/contract.ts";
import { makeApp, makeView, startApps } from "./support/apps.ts";
import type { TestApps } from "./support/apps.ts";
import { defer } from "./support/defer.ts";

const acting = (action: App["action"]) => makeApp({ action });

/** The actions in the audit log, the oldest first. */
const audited = (kernel: TestApps) =>
  kernel.kernel.foundation.audit
    .latest(50)
    .filter(({ action }) => action === "apps.action-done")
    .sort((one, other) => one.seq - other.seq)
    .map(({ details }) => details);

test("an action gets its name, the page and what came along, and its answer is filled in", async () => {
  const asked: AppAction[] = [];
  await using kernel = await startApps([
    acting((input) => {
      asked.push(input);
      return Promise.resolve({
        toast: { text: "Saved" },
        view: makeView(),
        path: "list",
      });
    }),
  ]);
  const answer = await kernel.api.post("/api/apps/notes/action", {
    action: "save",
    path: "new",
    args: { values: { title: "Milk", tags: ["a", null, 1.5] } },
  });
  expect(answer).toMatchObject({
    status: 200,
    body: {
      toast: { text: "Saved", tone: "success" },
      view: { title: "Notes", layout: "stack" },
      path: "list",
    },
  });
  await kernel.act("notes", "save");
  expect(asked).toEqual([
    {
      action: "save",
      path: "new",
      args: { values: { title: "Milk", tags: ["a", null, 1.5] } },
    },
    { action: "save", path: "", args: {} },
  ]);
});

test("an action with nothing to say answers an empty object", async () => {
  for (const nothing of [undefined, null, {}]) {
    await using kernel = await startApps([
      acting(() => Promise.resolve(nothing as never)),
    ]);
    expect(await kernel.act("notes", "go")).toMatchObject({
      status: 200,
      body: {},
    });
  }
});

test.each([
  ["text", "the answer"],
  [{ toast: "Saved" }, "toast"],
  [{ toast: { text: "" } }, "toast.text"],
  [{ view: { title: "x" } }, "view.blocks"],
  [{ more: 1 }, "the answer"],
  [{ path: 1 }, "path"],
])("the answer %j is refused by its field %s", async (answer, field) => {
  await using kernel = await startApps([
    acting(() => Promise.resolve(answer as never)),
  ]);
  const { status, body } = await kernel.act("notes", "go");
  expect({ status, body }).toMatchObject({
    status: 502,
    body: { code: "APP_VIEW_INVALID" },
  });
  expect((body as { detail: string }).detail).toContain(`shown: ${field}: `);
});

test("an app without actions says so", async () => {
  await using kernel = await startApps();
  expect(await kernel.act("notes", "go")).toMatchObject({
    status: 400,
    body: { code: "APP_ACTION_UNSUPPORTED" },
  });
});

test("an action is told as an event and in the audit log, without what came along", async () => {
  await using kernel = await startApps([
    acting(({ action }) =>
      action === "fail"
        ? Promise.reject(new Error("No"))
        : Promise.resolve({ toast: { text: "Done" } }),
    ),
  ]);
  kernel.expectFault(/^App failed/);
  const args = { values: { password: "hunter2-of-the-form" } };
  await kernel.act("notes", "save", args);
  await kernel.act("notes", "fail", args);
  expect(
    kernel.events.all(AppActed).map(({ subject, data }) => ({ subject, data })),
  ).toEqual([{ subject: "notes", data: { action: "save" } }]);
  expect(audited(kernel)).toMatchObject([
    { app: "notes", plugin: "author", action: "save", outcome: "done" },
    { app: "notes", plugin: "author", action: "fail", outcome: "APP_FAILED" },
  ]);
  expect(JSON.stringify(kernel.log)).not.toContain("hunter2");
  expect(JSON.stringify(kernel.events.all())).not.toContain("hunter2");
  for (const file of await readdir(kernel.home, { recursive: true })) {
    const text = await readFile(join(kernel.home, file), "latin1").catch(
      () => "",
    );
    expect(text.includes("hunter2"), file).toBe(false);
  }
});

test("an action under the same key is done once", async () => {
  let count = 0;
  await using kernel = await startApps([
    acting(() => Promise.resolve({ toast: { text: `${++count}` } })),
  ]);
  const act = (action: string) =>
    kernel.api.post(
      "/api/apps/notes/action",
      { action },
      { "idempotency-key": "one" },
    );
  const [first, second] = await Promise.all([act("go"), act("go")]);
  expect(first.body).toEqual(second.body);
  expect(count).toBe(1);
  expect(await act("stay")).toMatchObject({
    status: 409,
    body: { code: "IDEMPOTENCY_KEY_REUSED" },
  });
});

test("an action that takes over 5 s is given up", async () => {
  const begun = defer();
  await using kernel = await startApps([
    acting(() => {
      begun.resolve();
      return new Promise(() => {});
    }),
  ]);
  const answer = kernel.act("notes", "go");
  await begun.promise;
  // Slow pages do not hold up actions, nor the other way round.
  expect((await kernel.view("notes")).status).toBe(200);
  await kernel.clock.advance(5000);
  expect(await answer).toMatchObject({
    status: 502,
    body: { code: "APP_TIMEOUT" },
  });
  expect(audited(kernel)).toMatchObject([{ outcome: "APP_TIMEOUT" }]);
});

test("an action is done, and answered, when no event of it can be written", async () => {
  let isDone = false;
  await using kernel = await startApps([
    acting(() => {
      isDone = true;
      return Promise.resolve({ toast: { text: "Room was made" } });
    }),
  ]);
  const database = new DatabaseSync(join(kernel.home, "store.sqlite"));
  database.exec(`CREATE TRIGGER full BEFORE INSERT ON entries
    BEGIN SELECT RAISE(ABORT, 'refused'); END;`);
  const answer = await kernel.act("notes", "clean");
  database.exec("DROP TRIGGER full");
  database.close();
  expect(answer).toMatchObject({
    status: 200,
    body: { toast: { text: "Room was made" } },
  });
  expect(isDone).toBe(true);
  expect(audited(kernel)).toMatchObject([{ outcome: "done" }]);
  expect(kernel.log).toContainEqual(
    expect.objectContaining({
      level: "warn",
      message: "An action could not be told",
    }),
  );
});
