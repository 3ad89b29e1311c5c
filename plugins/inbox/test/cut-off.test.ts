import { defineErrors, definePlugin } from "@gantry/plugin";
import { AGENT_START_ERRORS } from "@gantry/plugin-agents/contract";
import { startTestKernel } from "@gantry/plugin-testing";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ItemAdded, ItemChanged } from "../src/contract.ts";
import type { InboxItem } from "../src/contract.ts";
import { itemCollection, itemRecord } from "../src/items/item-record.ts";
import {
  inbox,
  readBadge,
  startInbox,
  startWithItem,
} from "./support/inbox.ts";
import { agentErrors, createFakeMessages } from "./support/messages.ts";
import {
  agentDeleted,
  agentId,
  createSources,
  runFinished,
  turnCutOff,
  turnResumed,
} from "./support/sources.ts";

const CONTINUE = { optionId: "continue" };

async function startWithCutOff(data: Parameters<typeof turnCutOff>[0] = {}) {
  const event = turnCutOff(data);
  return { ...(await startWithItem(event)), turnId: event.data.turnId };
}

test("a turn that was cut off is a blocking notice with the beginning of its prompt", async () => {
  const { kernel, item, turnId } = await startWithCutOff({
    prompt: "Fix the *tests*.\n\n# Then the docs",
  });
  await using _ = kernel;
  expect(item).toMatchObject({
    kind: "notice",
    severity: "warning",
    title: "Ada was cut off",
    source: { type: "agent", id: agentId, name: "Ada" },
    blocking: true,
    state: "unread",
    agentId,
    run: null,
    dialog: null,
    cutOff: { turnId, agentId, open: true, taskId: null },
  });
  expect(item.body).toBe(
    "> Fix the \\*tests\\*\\.\n>\n> \\# Then the docs\n\nThe daemon stopped before the agent finished this.",
  );
  expect(await readBadge(kernel)).toEqual({ unread: 1, blocking: 1 });
});

test("a turn without a prompt says that it began by itself", async () => {
  const { kernel, item } = await startWithCutOff({ prompt: "" });
  await using _ = kernel;
  expect(item.body).toBe(
    "The daemon stopped during a turn that the agent began by itself.",
  );
});

test("Continue resumes the turn, and the item is done when the conversation continues", async () => {
  const { kernel, messages, item, turnId, replyPath } = await startWithCutOff();
  await using _ = kernel;
  const taskId = `tsk_${turnId}`;
  expect(await kernel.api.post(replyPath, CONTINUE)).toMatchObject({
    status: 200,
    body: {
      delivery: "queued",
      taskId,
      item: { state: "read", cutOff: { open: true, taskId } },
    },
  });
  expect(messages.continued).toEqual([{ agentId, turnId }]);
  expect(await readBadge(kernel)).toEqual({ unread: 0, blocking: 1 });

  // Pressed again while it waits, it is the same task.
  expect(await kernel.api.post(replyPath, CONTINUE)).toMatchObject({
    status: 200,
    body: { taskId },
  });

  expect(await kernel.tell(turnResumed(turnId))).toMatchObject([
    { id: item.id, state: "done", cutOff: { open: false, taskId } },
  ]);
  expect(await readBadge(kernel)).toEqual({ unread: 0, blocking: 0 });
  messages.continued.length = 0;
  expect(await kernel.api.post(replyPath, CONTINUE)).toMatchObject({
    status: 409,
    body: {
      code: "INBOX_TURN_RESUMED",
      detail: expect.stringContaining(item.id) as string,
    },
  });
  expect(messages.continued).toEqual([]);
});

test("the same key continues once", async () => {
  const { kernel, messages, replyPath } = await startWithCutOff();
  await using _ = kernel;
  const send = () =>
    kernel.api.post(replyPath, CONTINUE, { "idempotency-key": "k1" });
  const [first, second] = await Promise.all([send(), send()]);
  expect(first.status).toBe(200);
  expect(second.body).toEqual(first.body);
  expect(messages.continued).toHaveLength(1);
});

test("a conversation that continues before the reply is answered leaves the item done", async () => {
  const { kernel, messages, item, turnId, replyPath } = await startWithCutOff();
  await using _ = kernel;
  messages.onContinue = async () => {
    const settled = kernel.events.next(ItemChanged);
    await kernel.emit(turnResumed(turnId));
    await settled;
  };
  expect(await kernel.api.post(replyPath, CONTINUE)).toMatchObject({
    status: 200,
    body: { item: { state: "done", cutOff: { open: false } } },
  });
  expect(await kernel.list()).toMatchObject([{ id: item.id, state: "done" }]);
});

test("a message goes to the agent in place of continue", async () => {
  const { kernel, messages, turnId, replyPath } = await startWithCutOff();
  await using _ = kernel;
  expect(
    await kernel.api.post(replyPath, { message: "Leave it." }),
  ).toMatchObject({ status: 200, body: { item: { state: "read" } } });
  expect(messages.prompts).toMatchObject([{ agentId, message: "Leave it." }]);
  expect(messages.continued).toEqual([]);
  expect(await kernel.tell(turnResumed(turnId))).toMatchObject([
    { state: "done" },
  ]);
});

test.each([
  [{}],
  [{ optionId: "yes" }],
  [{ cancelled: true }],
  [{ optionId: "continue", message: "and" }],
  [{ optionId: "continue", cancelled: true }],
])("%j is refused and changes nothing", async (reply) => {
  const { kernel, messages, item, replyPath } = await startWithCutOff();
  await using _ = kernel;
  expect(await kernel.api.post(replyPath, reply)).toMatchObject({
    status: 400,
    body: {
      code: "INBOX_REPLY_INVALID",
      detail: expect.stringContaining('"continue"') as string,
    },
  });
  expect([...messages.prompts, ...messages.continued]).toEqual([]);
  expect(await kernel.list()).toEqual([item]);
});

test.each([
  [agentErrors.TURN_NOT_CUT_OFF({ turnId: "trn" }), "INBOX_TURN_RESUMED"],
  [agentErrors.AGENT_NOT_FOUND({ id: agentId }), "INBOX_RECIPIENT_GONE"],
])(
  "continue where nothing is left to continue says so, and the item is done: $code",
  async (refusal, code) => {
    const { kernel, messages, replyPath } = await startWithCutOff();
    await using _ = kernel;
    messages.refuse = refusal;
    expect(await kernel.api.post(replyPath, CONTINUE)).toMatchObject({
      status: 409,
      body: { code },
    });
    expect(await kernel.list()).toMatchObject([
      { state: "done", cutOff: { open: false } },
    ]);
    expect(await readBadge(kernel)).toEqual({ unread: 0, blocking: 0 });
  },
);

test.each(AGENT_START_ERRORS.filter((code) => code !== "AGENT_NOT_FOUND"))(
  "%s keeps the agent from being started, is declared, and leaves the item as it is",
  async (code) => {
    const { kernel, messages, item, replyPath } = await startWithCutOff();
    await using _ = kernel;
    const refusals = defineErrors({
      [code]: { status: 409, title: "Not started", detail: "Not started." },
    });
    messages.refuse = refusals[code]?.();
    expect(await kernel.api.post(replyPath, CONTINUE)).toMatchObject({
      status: 409,
      body: { code },
    });
    expect(await kernel.list()).toEqual([item]);
    const { body } = await kernel.api.get<{
      paths: Record<string, { post: { "x-error-codes": string[] } }>;
    }>("/api/openapi.json");
    const declared = body.paths["/api/inbox/{id}/reply"]?.post["x-error-codes"];
    expect(declared).toEqual(
      expect.arrayContaining([
        code,
        "INBOX_TURN_RESUMED",
        "INBOX_RECIPIENT_GONE",
      ]),
    );
  },
);

test("without the agents plugin continue says what is missing", async () => {
  await using kernel = await startInbox();
  const [item] = await kernel.tell(turnCutOff());
  expect(
    await kernel.api.post(`/api/inbox/${item?.id}/reply`, CONTINUE),
  ).toMatchObject({ status: 503, body: { code: "INBOX_AGENTS_MISSING" } });
  expect(await kernel.list()).toEqual([item]);
});

test("marked as done, it can still be continued", async () => {
  const { kernel, messages, item, turnId, replyPath } = await startWithCutOff();
  await using _ = kernel;
  const path = `/api/inbox/${item.id}/state`;
  expect(await kernel.api.post(path, { state: "done" })).toMatchObject({
    status: 200,
  });
  expect(await readBadge(kernel)).toEqual({ unread: 0, blocking: 0 });
  expect(await kernel.api.post(replyPath, CONTINUE)).toMatchObject({
    status: 200,
    body: { item: { state: "done" } },
  });
  expect(messages.continued).toEqual([{ agentId, turnId }]);
});

test("turns that are cut off and continue at once leave none open", async () => {
  await using kernel = await startInbox();
  const events = Array.from({ length: 50 }, () => turnCutOff());
  await Promise.all(
    events.flatMap((event) => [
      kernel.emit(event),
      kernel.emit(turnResumed(event.data.turnId)),
    ]),
  );
  await expect
    .poll(async () => (await kernel.list({ limit: 500, state: "done" })).length)
    .toBe(50);
  expect(await readBadge(kernel)).toEqual({ unread: 0, blocking: 0 });
  expect(kernel.events.all(ItemAdded)).toHaveLength(50);
});

test("when an agent is deleted, nothing of it can be continued, also what comes late", async () => {
  const { kernel, item } = await startWithCutOff();
  await using _ = kernel;
  const settled = kernel.events.next(ItemChanged);
  await kernel.emit(agentDeleted());
  expect((await settled).subject).toBe(item.id);
  await kernel.tell(turnCutOff());
  const items = await kernel.list();
  expect(items).toHaveLength(2);
  for (const { state, cutOff } of items)
    expect([state, cutOff?.open]).toEqual(["done", false]);
});

test("items of an earlier version are read, and that version keeps what can be continued", async () => {
  const home = await mkdtemp(join(tmpdir(), "gantry-inbox-"));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(home, { recursive: true, force: true }));
  const { turn: _, run: __, ...indexes } = itemCollection.indexes ?? {};
  /** The Inbox of a version that knows nothing of turns that were cut off: it reads everything, and marks it as read. */
  const earlier = definePlugin({
    id: "inbox",
    api: 1,
    summary: "An earlier Inbox",
    mounts: [],
    async setup({ store }) {
      const items = store.collection({
        ...itemCollection,
        schema: itemRecord.omit({ cutOff: true }),
        indexes: indexes as never,
      } as typeof itemCollection);
      const { items: stored } = await items.list({ limit: 100 });
      for (const { id } of stored)
        await items.update(id, (item) => ({
          record: { ...item, state: "read" },
        }));
    },
  });

  const sources = createSources();
  const messages = createFakeMessages();
  const { data } = turnCutOff();
  {
    await using first = await startInbox([], { home });
    await first.tell(runFinished(), turnCutOff(data));
  }
  {
    await using _second = await startTestKernel([earlier], { home });
  }
  await using kernel = await startTestKernel(
    [messages.plugin, sources.plugin, inbox],
    { home },
  );
  const { body } = await kernel.api.get<{ items: InboxItem[] }>("/api/inbox");
  expect(body.items).toMatchObject([
    { state: "read", cutOff: { turnId: data.turnId, open: true } },
    { state: "read", cutOff: null },
  ]);
  const settled = kernel.events.next(ItemChanged);
  await sources.emit(turnResumed(data.turnId));
  expect((await settled).data.state).toBe("done");
});
