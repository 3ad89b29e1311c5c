import { expect, test } from "vitest";
import { ItemChanged, ItemRemoved } from "../src/contract.ts";
import type { InboxItem } from "../src/contract.ts";
import { startInbox } from "./support/inbox.ts";
import { dialogOpened, runFinished } from "./support/sources.ts";

const failed = () =>
  runFinished({ result: "failed", reason: "timeout", message: "2 h" });

test("the list is narrowed by state and kind, newest first", async () => {
  await using kernel = await startInbox();
  const items = await kernel.tell(
    runFinished(),
    failed(),
    dialogOpened(),
    dialogOpened({ kind: "question" }),
    runFinished(),
  );
  expect(items.map(({ kind }) => kind)).toEqual([
    "result",
    "question",
    "approval",
    "notice",
    "result",
  ]);
  await kernel.api.post(`/api/inbox/${items[0]?.id}/state`, { state: "done" });
  await kernel.api.post(`/api/inbox/${items[3]?.id}/state`, { state: "read" });
  const kinds = async (query: Record<string, string>) =>
    (await kernel.list(query)).map(({ kind }) => kind);
  expect(await kinds({ state: "unread" })).toEqual([
    "question",
    "approval",
    "result",
  ]);
  expect(await kinds({ state: "read" })).toEqual(["notice"]);
  expect(await kinds({ state: "done" })).toEqual(["result"]);
  expect(await kinds({ state: "open" })).toEqual([
    "question",
    "approval",
    "notice",
    "result",
  ]);
  expect(await kinds({ kind: "result" })).toEqual(["result", "result"]);
  expect(await kinds({ kind: "result", state: "unread" })).toEqual(["result"]);
  expect(await kinds({ kind: "notice", state: "open" })).toEqual(["notice"]);
  expect(await kinds({ blocking: "true" })).toEqual(["question", "approval"]);
  expect(await kinds({ blocking: "true", kind: "approval" })).toEqual([
    "approval",
  ]);
  expect(await kinds({ blocking: "false", state: "open" })).toEqual([
    "notice",
    "result",
  ]);
  expect((await kernel.api.get("/api/inbox/badge")).body).toEqual({
    unread: 3,
    blocking: 2,
  });
});

test("a list is read page by page without a gap or a repeat", async () => {
  await using kernel = await startInbox();
  await kernel.tell(...Array.from({ length: 7 }, () => runFinished()));
  const seen: string[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const { body } = await kernel.api.get<{
      items: InboxItem[];
      nextCursor: string | null;
    }>("/api/inbox", {
      state: "open",
      limit: 3,
      cursor,
    });
    seen.push(...body.items.map(({ id }) => id));
    cursor = body.nextCursor ?? undefined;
    pages++;
  } while (cursor);
  expect(pages).toBe(3);
  expect(seen).toEqual((await kernel.list()).map(({ id }) => id));
});

test.each([
  ["state=old"],
  ["kind=mail"],
  ["blocking=1"],
  ["limit=0"],
  ["limit=501"],
  ["cursor=nonsense"],
  ["color=red"],
  ["state=read&state=done"],
])("?%s is refused", async (query) => {
  await using kernel = await startInbox();
  const response = await kernel.api.get(`/api/inbox?${query}`);
  expect(response).toMatchObject({ status: 400, body: { status: 400 } });
});

test("an item is marked as read, done and unread again, each with its event", async () => {
  await using kernel = await startInbox();
  const [item] = await kernel.tell(runFinished());
  const path = `/api/inbox/${item?.id}/state`;
  for (const [index, state] of (
    ["read", "done", "unread"] as const
  ).entries()) {
    expect(await kernel.api.post(path, { state })).toMatchObject({
      status: 200,
      body: { id: item?.id, state, revision: index + 2 },
    });
  }
  expect(await kernel.api.post(path, { state: "unread" })).toMatchObject({
    status: 200,
    body: { revision: 4 },
  });
  expect(kernel.events.all(ItemChanged).map(({ data }) => data.state)).toEqual([
    "read",
    "done",
    "unread",
  ]);
});

test("a stale revision changes nothing", async () => {
  await using kernel = await startInbox();
  const [item] = await kernel.tell(runFinished());
  const path = `/api/inbox/${item?.id}`;
  await kernel.api.post(
    `${path}/state`,
    { state: "read" },
    { "if-match": '"1"' },
  );
  const stale = { "if-match": '"1"' };
  expect(
    await kernel.api.post(`${path}/state`, { state: "done" }, stale),
  ).toMatchObject({
    status: 412,
    body: { code: "STALE_REVISION" },
  });
  expect(await kernel.api.delete(path, undefined, stale)).toMatchObject({
    status: 412,
  });
  expect(await kernel.api.get(path)).toMatchObject({
    status: 200,
    body: { state: "read", revision: 2 },
  });
});

test.each([
  [{}],
  [{ state: "gone" }],
  [{ state: "read", why: "x" }],
  [{ state: null }],
])("the state %j is refused and changes nothing", async (body) => {
  await using kernel = await startInbox();
  const [item] = await kernel.tell(runFinished());
  expect(
    await kernel.api.post(`/api/inbox/${item?.id}/state`, body),
  ).toMatchObject({ status: 400 });
  expect(await kernel.list()).toEqual([item]);
});

test("a deleted item is gone, with its event, and cannot be deleted twice", async () => {
  await using kernel = await startInbox();
  const [item] = await kernel.tell(runFinished());
  const path = `/api/inbox/${item?.id}`;
  expect(await kernel.api.delete(path)).toMatchObject({
    status: 200,
    body: { ok: true },
  });
  expect(await kernel.list()).toEqual([]);
  expect((await kernel.api.get("/api/inbox/badge")).body).toEqual({
    unread: 0,
    blocking: 0,
  });
  expect(kernel.events.all(ItemRemoved)).toMatchObject([
    { subject: item?.id, data: { title: "Nightly tests" } },
  ]);
  expect(await kernel.api.delete(path)).toMatchObject({
    status: 404,
    body: { code: "INBOX_ITEM_NOT_FOUND" },
  });
});

const strangeIds = [
  "..%2fx",
  "%00",
  "__proto__",
  "a:b",
  ".git",
  "x".repeat(5000),
  "INB_AAAAAAAAAAAAAAAAAAAAAAAA",
  "agt_aaaaaaaaaaaaaaaaaaaaaaaa",
  "inb_aaaaaaaaaaaaaaaaaaaaaaaa",
  "inb_",
];

test.each(strangeIds)(
  "an id like %.40s is unknown everywhere, and nothing changes",
  async (id) => {
    await using kernel = await startInbox();
    const [item] = await kernel.tell(runFinished());
    const latest = kernel.events.all().length;
    const path = `/api/inbox/${id}`;
    const answers = [
      await kernel.api.get(path),
      await kernel.api.delete(path),
      await kernel.api.post(`${path}/state`, { state: "done" }),
      await kernel.api.post(`${path}/reply`, { message: "Hello" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(kernel.events.all()).toHaveLength(latest);
    expect(await kernel.list()).toEqual([item]);
  },
);

test("strangers see nothing, and learn nothing of which ids there are", async () => {
  await using kernel = await startInbox();
  const [item] = await kernel.tell(runFinished());
  for (const path of [
    "/api/inbox",
    "/api/inbox/badge",
    `/api/inbox/${item?.id}`,
    "/api/inbox/nothing",
  ]) {
    expect(await kernel.stranger.get(path)).toMatchObject({
      status: 401,
      body: { code: "AUTH_NOT_PAIRED" },
    });
  }
  expect(
    await kernel.stranger.post(
      `/api/inbox/${item?.id}/state`,
      { state: "done" },
      { origin: kernel.url },
    ),
  ).toMatchObject({ status: 401 });
  expect(await kernel.list()).toEqual([item]);
});
