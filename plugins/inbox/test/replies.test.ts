import { expect, test } from "vitest";
import { RunFinished } from "@gantry/plugin-automations/contract";
import type { FinishedRun } from "@gantry/plugin-automations/contract";
import { startInbox } from "./support/inbox.ts";
import { agentErrors, createFakeMessages } from "./support/messages.ts";
import { agentId, dialogOpened, runFinished } from "./support/sources.ts";

async function startWithResult() {
  const messages = createFakeMessages();
  const kernel = await startInbox([messages.plugin]);
  const [item] = await kernel.tell(runFinished());
  if (!item) throw new Error("There is no item.");
  return { kernel, messages, item, replyPath: `/api/inbox/${item.id}/reply` };
}

test("a reply goes to the session of its run as a follow-up, and the item is read", async () => {
  const { kernel, messages, item, replyPath } = await startWithResult();
  await using _ = kernel;
  expect(
    await kernel.api.post(replyPath, { message: "Fix the slow one." }),
  ).toMatchObject({
    status: 200,
    body: {
      delivery: "queued",
      taskId: "tsk_1",
      item: { id: item.id, state: "read" },
    },
  });
  expect(messages.prompts).toEqual([
    {
      agentId,
      sessionId: "session-1",
      message: "Fix the slow one.",
      kind: "follow_up",
      source: "inbox",
    },
  ]);
});

test("the same key sends a reply once", async () => {
  const { kernel, messages, replyPath } = await startWithResult();
  await using _ = kernel;
  const send = () =>
    kernel.api.post(
      replyPath,
      { message: "Once." },
      { "idempotency-key": "k1" },
    );
  const [first, second] = await Promise.all([send(), send()]);
  expect(first.status).toBe(200);
  expect(second.body).toEqual(first.body);
  expect(messages.prompts).toHaveLength(1);
});

test.each([
  [{}],
  [{ message: "" }],
  [{ message: "   " }],
  [{ optionId: "yes" }],
  [{ message: "a", optionId: "yes" }],
  [{ message: "a", cancelled: true }],
  [{ message: 5 }],
  [{ message: "a".repeat(100_001) }],
  [{ message: "a", to: "agent" }],
])("%j is refused and changes nothing", async (reply) => {
  const { kernel, messages, item, replyPath } = await startWithResult();
  await using _ = kernel;
  expect(await kernel.api.post(replyPath, reply)).toMatchObject({
    status: 400,
  });
  expect(messages.prompts).toEqual([]);
  expect(await kernel.list()).toEqual([item]);
});

test("an item without an agent cannot be replied to", async () => {
  const messages = createFakeMessages();
  await using kernel = await startInbox([messages.plugin]);
  const [item] = await kernel.tell(runFinished({ agentId: null }));
  expect(
    await kernel.api.post(`/api/inbox/${item?.id}/reply`, {
      message: "Hello?",
    }),
  ).toMatchObject({
    status: 409,
    body: { code: "INBOX_NO_RECIPIENT" },
  });
});

test("an agent that was deleted is named as gone", async () => {
  const { kernel, messages, replyPath } = await startWithResult();
  await using _ = kernel;
  messages.refuse = agentErrors.AGENT_NOT_FOUND({ id: agentId });
  expect(await kernel.api.post(replyPath, { message: "Hello?" })).toMatchObject(
    {
      status: 409,
      body: { code: "INBOX_RECIPIENT_GONE" },
    },
  );
});

test.each([
  agentErrors.AGENT_SESSION_UNKNOWN({ session: "session-1" }),
  agentErrors.AGENT_UNSUPPORTED({ capability: "resume" }),
])(
  "a session that cannot be continued gets no reply: $code",
  async (refusal) => {
    const { kernel, messages, item, replyPath } = await startWithResult();
    await using _ = kernel;
    messages.refuse = refusal;
    expect(
      await kernel.api.post(replyPath, { message: "Hello?" }),
    ).toMatchObject({
      status: 409,
      body: { code: "INBOX_SESSION_GONE" },
    });
    expect(await kernel.list()).toEqual([item]);
  },
);

test("a run without a session, or of an earlier version, has a reply that goes to its agent", async () => {
  const messages = createFakeMessages();
  await using kernel = await startInbox([messages.plugin]);
  const { sessionId: _, ...earlier } = runFinished().data;
  const [known, unknown] = await kernel.tell(
    RunFinished.of("aut_earlier", earlier as FinishedRun),
    runFinished({ sessionId: null }),
  );
  for (const item of [known, unknown]) {
    const path = `/api/inbox/${item?.id}/reply`;
    expect(await kernel.api.post(path, { message: "Hello?" })).toMatchObject({
      status: 200,
    });
  }
  expect(messages.prompts).toHaveLength(2);
  for (const prompt of messages.prompts)
    expect(prompt.sessionId).toBeUndefined();
});

test("without the agents plugin the Inbox works, and a reply says what is missing", async () => {
  await using kernel = await startInbox();
  const items = await kernel.tell(runFinished(), dialogOpened());
  expect(items).toHaveLength(2);
  for (const [item, reply] of [
    [items[1], { message: "Hello?" }],
    [items[0], { optionId: "yes" }],
  ] as const) {
    expect(
      await kernel.api.post(`/api/inbox/${item?.id}/reply`, reply),
    ).toMatchObject({
      status: 503,
      body: {
        code: "INBOX_AGENTS_MISSING",
        detail: expect.stringMatching(
          /agents\.messages@1.*"agents" is not active/,
        ) as string,
      },
    });
  }
  expect(await kernel.list()).toEqual(items);
});

test("an agents plugin that comes later is reached without a restart of the Inbox", async () => {
  const messages = createFakeMessages();
  await using kernel = await startInbox([messages.plugin]);
  const [item] = await kernel.tell(runFinished());
  const path = `/api/inbox/${item?.id}/reply`;
  await kernel.kernel.plugins.stop(messages.plugin.id);
  expect(await kernel.api.post(path, { message: "One" })).toMatchObject({
    status: 503,
  });
  await kernel.kernel.plugins.start();
  expect(await kernel.api.post(path, { message: "Two" })).toMatchObject({
    status: 200,
  });
});
