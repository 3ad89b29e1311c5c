import { expect, test } from "vitest";
import { ItemAdded } from "../src/contract.ts";
import { startInbox } from "./support/inbox.ts";
import type { TestInbox } from "./support/inbox.ts";
import { createFakeMessages } from "./support/messages.ts";
import {
  agentId,
  runFinished,
  turnCutOff,
  turnResumed,
} from "./support/sources.ts";

const CONTINUE = { optionId: "continue" };

/** What a crash during a run of an automation tells. */
function createCutRun() {
  const finished = runFinished({
    result: "failed",
    reason: "daemon-restarted",
    message: "The daemon stopped while the run was going.",
  });
  const cut = turnCutOff({ runId: finished.data.runId });
  return { finished, cut, turnId: cut.data.turnId };
}

/** Emits an event that makes no item of its own, and waits until it was handled. */
async function tellUnseen(
  kernel: TestInbox,
  event: ReturnType<typeof turnCutOff>,
): Promise<void> {
  await kernel.emit(event);
  // A later event of the same kind shows that the earlier one has been handled.
  const probe = turnCutOff({ agentName: "Probe" }, "agt_probe");
  const added = kernel.events.next(ItemAdded);
  await kernel.emit(probe);
  await kernel.api.delete(`/api/inbox/${(await added).subject}`);
}

test.each(["before", "after"])(
  "a run has one item, which continues its turn, when the cut-off is reported %s the run",
  async (order) => {
    const messages = createFakeMessages();
    await using kernel = await startInbox([messages.plugin]);
    const { finished, cut, turnId } = createCutRun();
    if (order === "before") {
      await tellUnseen(kernel, cut);
      expect(await kernel.list()).toEqual([]);
      await kernel.tell(finished);
    } else await kernel.tell(finished, cut);
    const items = await kernel.list();
    expect(items).toMatchObject([
      {
        title: "Nightly tests: the daemon restarted during the run",
        source: { type: "automation" },
        severity: "error",
        state: "unread",
        blocking: false,
        run: { id: finished.data.runId },
        cutOff: { turnId, agentId, open: true },
      },
    ]);
    expect(
      await kernel.api.post(`/api/inbox/${items[0]?.id}/reply`, CONTINUE),
    ).toMatchObject({ status: 200, body: { item: { state: "read" } } });
    expect(messages.continued).toEqual([{ agentId, turnId }]);
    expect(await kernel.tell(turnResumed(turnId))).toMatchObject([
      { state: "done", cutOff: { open: false } },
    ]);
  },
);

test("the failure of a run stays when its conversation continues by another way", async () => {
  await using kernel = await startInbox();
  const { finished, cut, turnId } = createCutRun();
  const [item] = await kernel.tell(finished, cut);
  await kernel.api.post(`/api/inbox/${item?.id}/state`, { state: "read" });
  // The next run of the automation continues the conversation.
  expect(await kernel.tell(turnResumed(turnId))).toMatchObject([
    { state: "read", cutOff: { open: false, taskId: null } },
  ]);
});

test("a run whose conversation continued before the run was reported offers nothing", async () => {
  await using kernel = await startInbox();
  const { finished, cut, turnId } = createCutRun();
  await tellUnseen(kernel, cut);
  const resumed = kernel.emit(turnResumed(turnId));
  const probe = turnCutOff({}, "agt_probe");
  await resumed;
  await kernel.tell(probe, turnResumed(probe.data.turnId, "agt_probe"));
  const items = await kernel.tell(finished);
  expect(items).toHaveLength(2);
  expect(items[0]).toMatchObject({ state: "unread", cutOff: null });
});

test("an equal failure without a turn keeps what can be continued, and is not done with it", async () => {
  const messages = createFakeMessages();
  await using kernel = await startInbox([messages.plugin]);
  const { finished, cut, turnId } = createCutRun();
  const [item] = await kernel.tell(finished, cut);
  await kernel.api.post(`/api/inbox/${item?.id}/reply`, CONTINUE);
  const again = createCutRun();
  expect(await kernel.tell(again.finished)).toMatchObject([
    { count: 2, state: "unread", cutOff: { turnId, open: true } },
  ]);
  expect(await kernel.tell(turnResumed(turnId))).toMatchObject([
    { count: 2, state: "unread", cutOff: { open: false } },
  ]);
});
