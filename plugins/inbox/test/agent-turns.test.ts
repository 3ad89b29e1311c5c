import { expect, test } from "vitest";
import { startInbox } from "./support/inbox.ts";
import {
  agentId,
  runFinished,
  turnBlocked,
  unaskedTurn,
} from "./support/sources.ts";

test("the answer of a turn without a prompt is a result that can be replied to", async () => {
  await using kernel = await startInbox();
  const items = await kernel.tell(unaskedTurn({ answer: "**12** passed" }));
  expect(items).toMatchObject([
    {
      ...{ kind: "result", title: "Ada reports", body: "**12** passed" },
      ...{ state: "unread", blocking: false, agentId },
      source: { type: "agent", id: agentId, name: "Ada" },
    },
  ]);
});

test("one without words says so, and one that failed is a notice", async () => {
  await using kernel = await startInbox();
  const items = await kernel.tell(
    unaskedTurn({ answer: "" }),
    unaskedTurn({ answer: "", error: "It crashed." }),
  );
  expect(items).toMatchObject([
    { kind: "notice", severity: "error", body: "It crashed\\." },
    { kind: "result", body: "*The agent worked without saying anything.*" },
  ]);
});

test("what the user can do something about is a notice with the way on, counted while it lasts", async () => {
  await using kernel = await startInbox();
  const limit = {
    kind: "usage-limit",
    message: "Limit reached",
    resetsAt: "2026-11-30T15:00:00.000Z",
  } as const;
  const items = await kernel.tell(
    turnBlocked(limit),
    turnBlocked(limit),
    turnBlocked({ kind: "authentication", message: "Not logged in" }),
  );
  expect(items).toMatchObject([
    {
      title: "Ada needs a login",
      body: expect.stringContaining("Log in from the page") as string,
    },
    {
      title: "Ada reached its usage limit",
      body: "Limit reached\n\nContinue after 2026-11-30 15:00 UTC, when the limit resets.",
      ...{ kind: "notice", severity: "error", count: 2 },
    },
  ]);
});

test("a run has one notice, which names the problem", async () => {
  await using kernel = await startInbox();
  const problem = { kind: "usage-limit", resetsAt: null } as const;
  await kernel.emit(turnBlocked({ runId: "run_aaaaaaaaaaaaaaaaaaaaaaaa" }));
  const items = await kernel.tell(
    runFinished({ result: "failed", reason: "agent-error", problem }),
  );
  expect(items).toMatchObject([
    { title: "Nightly tests: the agent reached its usage limit" },
  ]);
});
