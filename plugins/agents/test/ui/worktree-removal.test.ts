import { afterEach, expect, test, vi } from "vitest";
import { shallowRef } from "vue";
import type { Agent } from "../../ui/wire.ts";
import { provideWorktree } from "../../ui/worktree/useWorktree.ts";
import type { WorktreeCleanup } from "../../ui/worktree/worktreeLoss.ts";
import { Refusal, startFakeDaemon } from "./support/fakeDaemon.ts";
import { mountPage } from "./support/kit.ts";

vi.mock("@gantry/ui-kit", () => import("./support/kit.ts"));
afterEach(() => vi.unstubAllGlobals());

const worktree = {
  ...{ repository: "/shop", branch: "agent/tax", path: "/work/tax" },
  ...{ setup: null, state: "ready" },
} as const;
const agent = { id: "agt_1", worktree } as unknown as Agent;
const removed = { ...agent, worktree: { ...worktree, state: "removed" } };
const clean = {
  branch: "agent/tax",
  changed: [],
  changes: 0,
  ignored: [],
  commits: 0,
};

function open(cleanup: WorktreeCleanup | Refusal) {
  const shown = shallowRef(agent);
  const daemon = startFakeDaemon({
    "GET /api/agents/agt_1/cleanup": () =>
      cleanup instanceof Refusal ? cleanup : { worktree: cleanup },
    "DELETE /api/agents/agt_1/worktree": () => removed,
    "POST /api/agents/agt_1/worktree": () => agent,
  });
  const page = mountPage(() =>
    provideWorktree(
      () => shown.value,
      (changed) => (shown.value = changed),
    ),
  );
  const question = () => vi.waitUntil(() => page.confirmation());
  return {
    ...{ page, daemon, question, ways: page.result },
    bodies: () => daemon.bodiesTo("/api/agents/agt_1/worktree"),
    [Symbol.dispose]: () => page[Symbol.dispose](),
  };
}

test("it goes after a question that says that nothing is lost, and comes back", async () => {
  using pane = open(clean);
  const removing = pane.ways.remove();
  const asked = await pane.question();
  expect(asked.body).toContain("Nothing is lost");
  expect(asked.action).toBe("Remove it");
  asked.answer(true);
  await removing;
  expect(pane.bodies()).toEqual([{ discard: false }]);
  expect(pane.ways.worktree.value?.state).toBe("removed");
  await pane.ways.makeAgain();
  expect(pane.ways.worktree.value?.state).toBe("ready");
});

test.each([
  ["changes", { ...clean, changed: ["a.ts"], changes: 1 }, "lost: a.ts"],
  ["what could not be read", { ...clean, changes: null }, "could not be read"],
])("%s are only lost if the button says so", async (_, cleanup, words) => {
  using pane = open(cleanup);
  const first = pane.ways.remove();
  const asked = await pane.question();
  expect(asked.body).toContain(words);
  expect([asked.action, asked.tone]).toEqual([
    "Remove it with the changes",
    "failed",
  ]);
  asked.answer(false);
  await first;
  expect(pane.bodies()).toEqual([]);
  const second = pane.ways.remove();
  (await pane.question()).answer(true);
  await second;
  expect(pane.bodies()).toEqual([{ discard: true }]);
});

test("nothing is asked if what would be lost is not known", async () => {
  using pane = open(new Refusal(502, "GIT_FAILED"));
  await pane.ways.remove();
  expect(pane.page.confirmation()).toBeUndefined();
  expect(pane.page.toasts.map(({ title }) => title)).toEqual([
    "The worktree could not be removed",
  ]);
  expect(pane.ways.isPending.value).toBe(false);
});
