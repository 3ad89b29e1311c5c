import { expect, test } from "vitest";
import { ItemAdded, ItemChanged } from "../src/contract.ts";
import { readBadge, startInbox, startWithItem } from "./support/inbox.ts";
import { agentErrors } from "./support/messages.ts";
import {
  agentDeleted,
  agentId,
  dialogClosed,
  dialogOpened,
} from "./support/sources.ts";

async function startWithDialog(data: Parameters<typeof dialogOpened>[0] = {}) {
  const event = dialogOpened(data);
  return { ...(await startWithItem(event)), dialogId: event.data.id };
}

test("an open permission request is a blocking approval", async () => {
  const { kernel, item, dialogId } = await startWithDialog();
  await using _ = kernel;
  expect(item).toMatchObject({
    kind: "approval",
    title: "Run a command",
    body: "```\nrm -rf build\n```",
    source: { type: "agent", id: agentId, name: "Ada" },
    blocking: true,
    state: "unread",
    agentId,
    dialog: {
      id: dialogId,
      agentId,
      options: [
        { id: "yes", label: "Allow once", kind: "allow" },
        { id: "no", label: "Reject", kind: "reject" },
      ],
      takesText: false,
      open: true,
      answer: null,
    },
  });
  expect(await readBadge(kernel)).toEqual({ unread: 1, blocking: 1 });
});

test("what an agent wants to do is shown as it is, whatever fences it brings", async () => {
  const { kernel, item } = await startWithDialog({
    title: "",
    body: "```\n# not a heading\n````\n![](http://evil.example/)",
  });
  await using _ = kernel;
  expect(item).toMatchObject({
    kind: "approval",
    title: "Ada waits for an answer",
  });
  expect(item.body).toBe(
    "`````\n```\n# not a heading\n````\n![](http://evil.example/)\n`````",
  );
});

test("what an agent asks is shown as it is, sentence by sentence", async () => {
  const { kernel, item } = await startWithDialog({
    kind: "question",
    body: "  Use *npm*?\n# or <b>pnpm</b>\n\n[x](javascript:alert(1))",
  });
  await using _ = kernel;
  expect(item).toMatchObject({ kind: "question" });
  expect(item.body).toBe(
    "Use \\*npm\\*?\\\n\\# or \\<b\\>pnpm\\</b\\>\n\n\\[x\\]\\(javascript\\:alert\\(1\\)\\)",
  );
});

test("a title that is too long for one line stands in the body whole", async () => {
  const title = `Run\n${"a".repeat(300)}`;
  const { kernel, item } = await startWithDialog({ title, body: "" });
  await using _ = kernel;
  expect(item.title).toHaveLength(200);
  expect(item.body).toBe(`\`\`\`\n${title}\n\`\`\``);
});

test("an option answers the dialog, and the item is done", async () => {
  const { kernel, messages, dialogId, replyPath } = await startWithDialog();
  await using _ = kernel;
  expect(await kernel.api.post(replyPath, { optionId: "yes" })).toMatchObject({
    status: 200,
    body: {
      delivery: "answered",
      taskId: null,
      item: {
        state: "done",
        blocking: true,
        dialog: { open: false, answer: "Allow once" },
      },
    },
  });
  expect(messages.answers).toEqual([{ agentId, dialogId, optionId: "yes" }]);
  expect(await readBadge(kernel)).toEqual({ unread: 0, blocking: 0 });
  expect(await kernel.api.post(replyPath, { optionId: "no" })).toMatchObject({
    status: 409,
    body: { code: "INBOX_DIALOG_CLOSED" },
  });
  expect(messages.answers).toHaveLength(1);
});

test("a text and a cancel answer it too", async () => {
  const first = await startWithDialog({ kind: "question", takesText: true });
  await using _ = first.kernel;
  expect(
    await first.kernel.api.post(first.replyPath, { message: " Use pnpm. " }),
  ).toMatchObject({
    body: { item: { dialog: { answer: "Use pnpm." } } },
  });
  expect(first.messages.answers).toEqual([
    { agentId, dialogId: first.dialogId, value: "Use pnpm." },
  ]);
  const second = await startWithDialog();
  await using __ = second.kernel;
  expect(
    await second.kernel.api.post(second.replyPath, { cancelled: true }),
  ).toMatchObject({
    body: { item: { state: "done", dialog: { open: false, answer: null } } },
  });
  expect(second.messages.answers).toEqual([
    { agentId, dialogId: second.dialogId, cancelled: true },
  ]);
});

test.each([
  [{}],
  [{ cancelled: false }],
  [{ optionId: "yes", message: "and" }],
  [{ optionId: "yes", cancelled: true }],
])("%j is no answer, and nothing is sent", async (reply) => {
  const { kernel, messages, item, replyPath } = await startWithDialog();
  await using _ = kernel;
  expect(await kernel.api.post(replyPath, reply)).toMatchObject({
    status: 400,
    body: { code: "INBOX_REPLY_INVALID" },
  });
  expect(messages.answers).toEqual([]);
  expect(await kernel.list()).toEqual([item]);
});

test("an answer that the agents plugin refuses leaves the dialog open", async () => {
  const { kernel, messages, item, replyPath } = await startWithDialog();
  await using _ = kernel;
  messages.refuse = agentErrors.DIALOG_ANSWER_INVALID();
  expect(await kernel.api.post(replyPath, { optionId: "maybe" })).toMatchObject(
    {
      status: 400,
      body: { code: "DIALOG_ANSWER_INVALID" },
    },
  );
  expect(await kernel.list()).toEqual([item]);
});

test("answered elsewhere, the item is done by itself", async () => {
  const { kernel, item, dialogId } = await startWithDialog();
  await using _ = kernel;
  expect(await kernel.tell(dialogClosed(dialogId, "Reject"))).toMatchObject([
    { id: item.id, state: "done", dialog: { open: false, answer: "Reject" } },
  ]);
});

test("the event of an answer that was given here changes nothing", async () => {
  const { kernel, messages, item, dialogId, replyPath } =
    await startWithDialog();
  await using _ = kernel;
  messages.onAnswer = () => kernel.emit(dialogClosed(dialogId, "Allow once"));
  await kernel.api.post(replyPath, { optionId: "yes" });
  // A later event of the same kind shows that the earlier one has been handled.
  const other = dialogOpened();
  await kernel.tell(other, dialogClosed(other.data.id));
  expect(
    kernel.events.all(ItemChanged).filter(({ subject }) => subject === item.id),
  ).toHaveLength(1);
});

test("an answer that comes too late says so, and the item is done", async () => {
  const { kernel, messages, item, dialogId, replyPath } =
    await startWithDialog();
  await using _ = kernel;
  messages.refuse = agentErrors.DIALOG_CLOSED({ id: dialogId });
  expect(await kernel.api.post(replyPath, { optionId: "yes" })).toMatchObject({
    status: 409,
    body: {
      code: "INBOX_DIALOG_CLOSED",
      detail: expect.stringContaining(item.id) as string,
    },
  });
  expect(await kernel.list()).toMatchObject([
    { state: "done", dialog: { open: false, answer: null } },
  ]);
  // Who answered it is told a moment later, and is kept.
  expect(await kernel.tell(dialogClosed(dialogId, "Reject"))).toMatchObject([
    { dialog: { answer: "Reject" } },
  ]);
});

test("a dialog that is open cannot be marked as done, but read, unread and deleted", async () => {
  const { kernel, item } = await startWithDialog();
  await using _ = kernel;
  const path = `/api/inbox/${item.id}/state`;
  expect(await kernel.api.post(path, { state: "done" })).toMatchObject({
    status: 409,
    body: { code: "INBOX_DIALOG_OPEN" },
  });
  expect(await kernel.api.post(path, { state: "read" })).toMatchObject({
    status: 200,
  });
  expect(await readBadge(kernel)).toEqual({ unread: 0, blocking: 1 });
  expect(await kernel.api.delete(`/api/inbox/${item.id}`)).toMatchObject({
    status: 200,
    body: { ok: true },
  });
  expect(await readBadge(kernel)).toEqual({ unread: 0, blocking: 0 });
});

test("when an agent is deleted, its dialogs no longer wait, also one that is reported later", async () => {
  const { kernel, item } = await startWithDialog();
  await using _ = kernel;
  const second = dialogOpened();
  await kernel.tell(second);
  const other = dialogOpened({
    agentId: "agt_dddddddddddddddddddddddd",
    agentName: "Eve",
  });
  await kernel.tell(other);
  await kernel.emit(agentDeleted());
  await kernel.events.first(
    ItemChanged,
    ({ subject, data }) => subject !== item.id && data.state === "done",
  );
  expect(await readBadge(kernel)).toMatchObject({ blocking: 1 });
  await kernel.emit(dialogOpened());
  await kernel.tell(dialogOpened({ agentId: "agt_dddddddddddddddddddddddd" }));
  expect(await kernel.list({ blocking: "true" })).toMatchObject([
    { source: { id: "agt_dddddddddddddddddddddddd" } },
    { source: { id: "agt_dddddddddddddddddddddddd" } },
  ]);
});

test("many dialogs that open and close at once leave none open", async () => {
  await using kernel = await startInbox();
  const opened = Array.from({ length: 50 }, () => dialogOpened());
  // One write each, all at the same time: the listeners of both kinds run side by side.
  await Promise.all(
    opened.flatMap((event) => [
      kernel.emit(event),
      kernel.emit(dialogClosed(event.data.id, "Reject")),
    ]),
  );
  await expect
    .poll(async () => (await kernel.list({ limit: 500, state: "done" })).length)
    .toBe(50);
  expect(await readBadge(kernel)).toEqual({ unread: 0, blocking: 0 });
  expect(kernel.events.all(ItemAdded)).toHaveLength(50);
});
