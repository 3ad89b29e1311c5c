import { expect, test } from "vitest";
import { ItemAdded } from "../src/contract.ts";
import { startInbox } from "./support/inbox.ts";
import {
  agentId,
  automationId,
  NoticeRaised,
  notifyFailed,
  runFinished,
} from "./support/sources.ts";

const failed = (data: Parameters<typeof runFinished>[0] = {}) =>
  runFinished({
    result: "failed",
    reason: "cli-missing",
    message: "`pi` is not installed.",
    ...data,
  });

test("a run that is done becomes a result with the agent's final message", async () => {
  await using kernel = await startInbox();
  const event = runFinished();
  const [item] = await kernel.tell(event);
  expect(item).toEqual({
    id: expect.stringMatching(/^inb_[a-z2-7]{24}$/) as string,
    kind: "result",
    title: "Nightly tests",
    body: "All **12** tests pass.",
    truncated: false,
    source: { type: "automation", id: automationId, name: "Nightly tests" },
    blocking: false,
    state: "unread",
    severity: null,
    agentId,
    run: {
      id: event.data.runId,
      automationId,
      result: "done",
      reason: null,
      trigger: "schedule",
      scheduleLabel: "Every night",
      costUsd: 0.12,
      sessionId: "session-1",
    },
    dialog: null,
    cutOff: null,
    count: 1,
    lastAt: "2026-03-02T12:00:00.000Z",
    createdAt: "2026-03-02T12:00:00.000Z",
    updatedAt: "2026-03-02T12:00:00.000Z",
    revision: 1,
  });
  expect(kernel.events.all(ItemAdded)).toMatchObject([
    {
      subject: item?.id,
      plugin: "inbox",
      data: {
        kind: "result",
        title: "Nightly tests",
        blocking: false,
        count: 1,
      },
    },
  ]);
});

test("a run that was skipped makes no item", async () => {
  await using kernel = await startInbox();
  await kernel.emit(
    runFinished({ result: "skipped", reason: "busy", message: "" }),
  );
  // Events are taken in order, so the skip has been handled when the next item is there.
  const items = await kernel.tell(runFinished());
  expect(items).toMatchObject([{ kind: "result" }]);
});

test("equal failures in a row make one notice, with their count and the last time", async () => {
  await using kernel = await startInbox();
  const [item, ...others] = await kernel.tell(
    failed(),
    failed(),
    failed({ message: "Still not installed." }),
  );
  expect(others).toEqual([]);
  expect(item).toMatchObject({
    kind: "notice",
    title: "Nightly tests: the agent CLI is not installed",
    body: "Still not installed.",
    severity: "error",
    state: "unread",
    count: 3,
    createdAt: "2026-03-02T12:00:00.000Z",
    lastAt: "2026-03-02T12:00:02.000Z",
    run: { result: "failed", reason: "cli-missing" },
  });
});

test("a failure that was read is unread again when it comes again", async () => {
  await using kernel = await startInbox();
  const [first] = await kernel.tell(failed());
  await kernel.api.post(`/api/inbox/${first?.id}/state`, { state: "read" });
  expect(await kernel.tell(failed())).toMatchObject([
    { id: first?.id, state: "unread", count: 2 },
  ]);
});

test("what the user has done is over: the same failure later is a new notice", async () => {
  await using kernel = await startInbox();
  const [first] = await kernel.tell(failed());
  await kernel.api.post(`/api/inbox/${first?.id}/state`, { state: "done" });
  expect(await kernel.tell(failed())).toMatchObject([
    { state: "unread", count: 1 },
    { id: first?.id, state: "done", count: 1 },
  ]);
});

test("equal failures are two notices if an answer came between", async () => {
  await using kernel = await startInbox();
  const items = await kernel.tell(failed(), runFinished(), failed());
  expect(items).toHaveLength(3);
  expect(items.map(({ count }) => count)).toEqual([1, 1, 1]);
});

test("failures of two automations are counted apart", async () => {
  await using kernel = await startInbox();
  const other = {
    automationId: "aut_cccccccccccccccccccccccc",
    automationName: "Docs drift",
  };
  const items = await kernel.tell(
    failed(),
    failed(other),
    failed(),
    failed(other),
  );
  expect(items).toMatchObject([
    { title: "Docs drift: the agent CLI is not installed", count: 2 },
    { title: "Nightly tests: the agent CLI is not installed", count: 2 },
  ]);
});

test("two errors of an agent that say different things are two notices", async () => {
  await using kernel = await startInbox();
  const error = (message: string) => failed({ reason: "agent-error", message });
  const items = await kernel.tell(
    error("No credit left."),
    error("No credit left."),
    error("Unknown model."),
  );
  expect(items).toMatchObject([
    { body: "Unknown model.", count: 1 },
    { body: "No credit left.", count: 2 },
  ]);
});

test("a run without words says so", async () => {
  await using kernel = await startInbox();
  const items = await kernel.tell(
    runFinished({ message: "" }),
    failed({ message: "" }),
  );
  expect(items.map(({ body }) => body)).toEqual([
    "*The run failed without a message.*",
    "*The agent ended without a message.*",
  ]);
});

test("a reason that is not known yet is shown as it is", async () => {
  await using kernel = await startInbox();
  expect(
    await kernel.tell(failed({ reason: "moon-phase" as "timeout" })),
  ).toMatchObject([{ title: "Nightly tests: moon-phase" }]);
});

test("a title and a name are one line of plain text, and a body is cut between characters", async () => {
  await using kernel = await startInbox();
  const [item] = await kernel.tell(
    runFinished({
      automationName: `Two\nlines\u0000\u202e${"x".repeat(300)}`,
      message: "😀".repeat(20_000),
    }),
  );
  expect(item?.title).toMatch(/^Two lines x+…$/);
  expect(item?.title).toHaveLength(200);
  expect(item?.source.name).toBe(item?.title);
  expect(item?.truncated).toBe(true);
  expect(item?.body).toBe("😀".repeat(16_384));
});

test("a notice of the kernel becomes an item", async () => {
  await using kernel = await startInbox();
  const [item] = await kernel.tell(runFinished());
  // A record that cannot be read is put in quarantine, and the kernel adds a notice.
  await kernel.kernel.foundation.core.engine.commit([
    {
      type: "set",
      key: `inbox:item:${item?.id}`,
      value: { v: 1, data: { broken: true } },
    },
  ]);
  const added = kernel.events.next(ItemAdded);
  expect(await kernel.api.get(`/api/inbox/${item?.id}`)).toMatchObject({
    status: 404,
  });
  await added;
  const [notice] = kernel.events.all(NoticeRaised);
  expect(await kernel.list()).toMatchObject([
    {
      kind: "notice",
      severity: "error",
      title: 'A record of "inbox" could not be read',
      source: { type: "kernel", id: notice?.subject },
      agentId: null,
    },
  ]);
});

test("a notification that did not arrive is a notice; equal ones in a row are one", async () => {
  await using kernel = await startInbox();
  const [first] = await kernel.tell(notifyFailed());
  expect(first).toMatchObject({
    kind: "notice",
    severity: "warning",
    title: "Nightly tests: its notification did not arrive",
    body: expect.stringContaining("2 times at `hooks.example.org`") as string,
    source: { type: "automation", id: automationId },
    count: 1,
  });
  const again = await kernel.tell(notifyFailed());
  expect(again).toMatchObject([{ id: first!.id, count: 2 }]);
  const other = await kernel.tell(notifyFailed({ code: "refused" }));
  expect(other.map(({ count }) => count)).toEqual([1, 2]);
});

test("failures that take turns are one item each, until a run works again", async () => {
  await using inbox = await startInbox();
  const late = () => failed({ reason: "timeout", message: "2 hours" });
  for (let count = 0; count < 3; count++)
    await inbox.tell(late(), notifyFailed(), failed());
  const counts = async () =>
    (await inbox.list()).map(({ kind, title, count }) => [kind, title, count]);
  const took = "Nightly tests: took too long";
  const silent = "Nightly tests: its notification did not arrive";
  const none = "Nightly tests: the agent CLI is not installed";
  expect(await counts()).toEqual([
    ["notice", none, 3],
    ["notice", silent, 3],
    ["notice", took, 3],
  ]);

  // What the user has finished is news when it comes again.
  const items = await inbox.list();
  const { id } = items.find(({ title }) => title === silent)!;
  await inbox.api.post(`/api/inbox/${id}/state`, { state: "done" });
  await inbox.tell(notifyFailed(), late());
  expect(await counts()).toEqual([
    ["notice", took, 4],
    ["notice", silent, 1],
    ["notice", none, 3],
    ["notice", silent, 3],
  ]);

  // So it is after a run that worked.
  await inbox.tell(runFinished(), late());
  expect((await counts()).slice(0, 2)).toEqual([
    ["notice", took, 1],
    ["result", "Nightly tests", 1],
  ]);
});
