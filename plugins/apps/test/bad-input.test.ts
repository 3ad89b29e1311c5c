import { expect, test } from "vitest";
import { makeApp, makeView, startApps } from "./support/apps.ts";

const IDS = [
  "none",
  "NOTES",
  "notes%20",
  "..%2fnotes",
  "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
  "__proto__",
  "constructor",
  "toString",
  "notes%00",
  "app_aaaaaaaaaaaaaaaaaaaaaaaa",
  "a".repeat(2000),
  "%F0%9F%92%A9",
];

test.each(IDS)("there is no app %s", async (id) => {
  await using kernel = await startApps();
  for (const answer of [
    await kernel.api.get(`/api/apps/${id}/view`),
    await kernel.api.post(`/api/apps/${id}/action`, { action: "go" }),
  ]) {
    expect(answer).toMatchObject({
      status: 404,
      body: { code: "APP_NOT_FOUND" },
    });
    const { detail } = answer.body as { detail: string };
    expect(detail).toMatch(
      /^There is no app [\w?-]{1,40}; list them with GET \/api\/apps\.$/,
    );
  }
});

test("an id that cannot be one is unknown, whatever else comes along", async () => {
  await using kernel = await startApps();
  for (const body of [{}, { action: 1 }, { __proto: true }])
    expect(await kernel.api.post("/api/apps/agt_x/action", body)).toMatchObject(
      { status: 404, body: { code: "APP_NOT_FOUND" } },
    );
  expect(await kernel.api.get("/api/apps/agt_x/view?more=1")).toMatchObject({
    status: 404,
    body: { code: "APP_NOT_FOUND" },
  });
});

test.each([
  ["GET", "/api/apps/notes/view?path=a&path=b", undefined],
  ["GET", "/api/apps/notes/view?page=a", undefined],
  ["GET", `/api/apps/notes/view?path=${"x".repeat(1001)}`, undefined],
  ["GET", "/api/apps?all=1", undefined],
  ["GET", "/api/apps/order?all=1", undefined],
  ["PUT", "/api/apps/order", {}],
  ["PUT", "/api/apps/order", { ids: "notes" }],
  ["PUT", "/api/apps/order", { ids: [1] }],
  ["PUT", "/api/apps/order", { ids: [null] }],
  ["PUT", "/api/apps/order", { ids: ["x".repeat(201)] }],
  ["PUT", "/api/apps/order", { ids: [], more: true }],
  ["PUT", "/api/apps/order", { ids: Array.from({ length: 1001 }, String) }],
  ["POST", "/api/apps/notes/action", {}],
  ["POST", "/api/apps/notes/action", { action: 1 }],
  ["POST", "/api/apps/notes/action", { action: "" }],
  ["POST", "/api/apps/notes/action", { action: "Not kebab" }],
  ["POST", "/api/apps/notes/action", { action: "constructor" }],
  ["POST", "/api/apps/notes/action", { action: "x\nforged: 1" }],
  ["POST", "/api/apps/notes/action", { action: "go", path: 1 }],
  ["POST", "/api/apps/notes/action", { action: "go", path: "x".repeat(1001) }],
  ["POST", "/api/apps/notes/action", { action: "go", args: [] }],
  ["POST", "/api/apps/notes/action", { action: "go", args: "all" }],
  ["POST", "/api/apps/notes/action", { action: "go", force: true }],
] as const)("%s %s with %j is bad input", async (method, path, body) => {
  let isAsked = false;
  await using kernel = await startApps([
    makeApp({
      view() {
        isAsked = true;
        return Promise.resolve(makeView());
      },
      action() {
        isAsked = true;
        return Promise.resolve({});
      },
    }),
  ]);
  const answer = await kernel.api.request(method, path, { body });
  expect(answer).toMatchObject({
    status: 400,
    body: { code: "INPUT_INVALID" },
  });
  expect(isAsked).toBe(false);
});

test.each([
  '{"action":"go","args":{"__proto__":{"isAdmin":true}}}',
  '{"action":"go","args":{"values":{"constructor":{"prototype":{}}}}}',
])("the body %s does not reach an app", async (text) => {
  await using kernel = await startApps([
    makeApp({ action: () => Promise.reject(new Error("Asked")) }),
  ]);
  const answer = await kernel.api.request("POST", "/api/apps/notes/action", {
    body: new TextEncoder().encode(text),
    headers: { "content-type": "application/json" },
  });
  expect(answer).toMatchObject({
    status: 400,
    body: { code: "BODY_FORBIDDEN_KEY" },
  });
});

test("a client that is not paired learns nothing of the apps", async () => {
  await using kernel = await startApps();
  for (const path of [
    "/api/apps",
    "/api/apps/order",
    "/api/apps/notes/view",
    "/api/apps/none/view",
  ])
    expect((await kernel.stranger.get(path)).status, path).toBe(401);
  const post = await kernel.stranger.post(
    "/api/apps/notes/action",
    { action: "go" },
    { origin: kernel.url },
  );
  expect(post.status).toBe(401);
});

test.each([
  ["POST", "/api/apps"],
  ["DELETE", "/api/apps/order"],
  ["POST", "/api/apps/notes/view"],
  ["GET", "/api/apps/notes/action"],
])("%s %s is no operation", async (method, path) => {
  await using kernel = await startApps();
  const answer = await kernel.api.request(method, path);
  expect(answer).toMatchObject({
    status: 405,
    body: { code: "METHOD_NOT_ALLOWED" },
  });
});
