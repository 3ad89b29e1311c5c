import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { useAgentRequests } from "../../ui/shipping/useAgentRequests.ts";
import { useCommitMessage } from "../../ui/shipping/useCommitMessage.ts";
import {
  forgetMessage,
  keepMessage,
  readMessage,
} from "../../ui/shipping/keptMessage.ts";
import type { Agent, Entry } from "../../ui/wire.ts";
import { entry, ran, said } from "./support/entries.ts";
import { Refusal, startFakeDaemon } from "./support/fakeDaemon.ts";
import { mountPage } from "./support/kit.ts";

vi.mock("@gantry/ui-kit", () => import("./support/kit.ts"));

const kept = new Map<string, string>();
beforeEach(() => {
  kept.clear();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
    removeItem: (key: string) => kept.delete(key),
  });
});
afterEach(() => vi.unstubAllGlobals());

const asked = (taskId: string, turnId = "trn_1") =>
  said("Write a commit message", {
    turnId,
    message: { taskId, source: "composer", delivery: "prompt", images: 0 },
  });

type KnownAgent = Pick<Agent, "state" | "mode" | "activity">;
const idle: KnownAgent = { state: "open", mode: "managed", activity: "idle" };

/** A box for a message, and an agent of which a test says what it does. */
function openBox(fields: Partial<KnownAgent> = {}, entries: Entry[] = []) {
  const agent = { now: { ...idle, ...fields }, entries };
  const daemon = startFakeDaemon({
    "GET /api/agents/agt_1": () => agent.now,
    "POST /api/agents/agt_1/prompt": () => ({ taskId: "tsk_1" }),
    "GET /api/agents/agt_1/messages": () => ({
      items: agent.entries.toReversed(),
      nextCursor: null,
    }),
  });
  const page = mountPage(() => {
    const requests = useAgentRequests("agt_1");
    return { requests, message: useCommitMessage("agt_1", requests) };
  });
  const { requests, message } = page.result;
  return {
    ...{ agent, daemon, message, requests, toasts: page.toasts },
    emit: page.emit,
    [Symbol.dispose]: () => page[Symbol.dispose](),
    ready: () => vi.waitFor(() => expect(requests.agent.value).toBeDefined()),
    /** The agent ends the turn. */
    answer(text: string) {
      agent.entries = [asked("tsk_1"), ran("bash", {}), entry({ text })];
      page.emit("agents.turn-finished", "agt_1", { turnId: "trn_1" });
    },
  };
}

describe("a drafted message", () => {
  test("is the last reply of the turn that was asked for, without its fence", async () => {
    using box = openBox();
    await box.ready();
    await box.message.draft(true);
    expect(box.message.isDrafting.value).toBe(true);
    expect(box.daemon.bodiesTo("/api/agents/agt_1/prompt")).toEqual([
      { message: expect.stringContaining("git diff --cached") as string },
    ]);
    // A turn of another agent, and one that was asked for elsewhere.
    box.emit("agents.turn-finished", "agt_2", { turnId: "trn_1" });
    box.emit("agents.turn-finished", "agt_1", { turnId: "trn_0" });
    expect(box.message.isDrafting.value).toBe(true);
    box.answer("```\nAdd prices\n```");
    await vi.waitFor(() => expect(box.message.text.value).toBe("Add prices"));
    expect(box.message.isDrafting.value).toBe(false);
    expect(box.message.replaced.value).toBeUndefined();
  });

  test("is taken even if the turn ends before the request is answered", async () => {
    using box = openBox();
    await box.ready();
    box.daemon.routes["POST /api/agents/agt_1/prompt"] = () => {
      box.answer("Add prices");
      return { taskId: "tsk_1" };
    };
    await box.message.draft(true);
    await vi.waitFor(() => expect(box.message.text.value).toBe("Add prices"));
  });

  test("takes the place of what was written, which can be put back", async () => {
    using box = openBox();
    await box.ready();
    box.message.text.value = "prices, somehow";
    await box.message.draft(false);
    expect(box.daemon.bodiesTo("/api/agents/agt_1/prompt")).toEqual([
      { message: expect.stringContaining("prices, somehow") as string },
    ]);
    box.answer("Add prices");
    await vi.waitFor(() => expect(box.message.text.value).toBe("Add prices"));
    box.message.restore();
    expect(box.message.text.value).toBe("prices, somehow");
  });

  test("is there when the user comes back to the page", async () => {
    keepMessage("agt_1", { text: "", asked: "tsk_1" });
    const entries = [asked("tsk_1"), entry({ text: "Add prices" })];
    using box = openBox({}, entries);
    expect(box.message.isDrafting.value).toBe(true);
    await vi.waitFor(() => expect(box.message.text.value).toBe("Add prices"));
    expect(readMessage("agt_1")).toEqual({
      text: "Add prices",
      asked: undefined,
    });
  });

  test("is not taken any more once the user stops waiting", async () => {
    using box = openBox();
    await box.ready();
    await box.message.draft(true);
    box.message.stopDrafting();
    box.answer("Add prices");
    expect(box.message.isDrafting.value).toBe(false);
    expect(box.message.text.value).toBe("");
    expect(kept.size).toBe(0);
  });

  test("that the agent did not write is told", async () => {
    using box = openBox();
    await box.ready();
    await box.message.draft(true);
    box.agent.entries = [asked("tsk_1")];
    box.emit("agents.turn-finished", "agt_1", { turnId: "trn_1" });
    await vi.waitFor(() => expect(box.message.isDrafting.value).toBe(false));
    expect(box.toasts.map(({ title }) => title)).toEqual([
      "The agent wrote no message",
    ]);
  });

  test("is not waited for if the agent does not take the request", async () => {
    using box = openBox();
    await box.ready();
    box.daemon.routes["POST /api/agents/agt_1/prompt"] = () =>
      new Refusal(409, "AGENT_TRUST_REQUIRED");
    await box.message.draft(true);
    expect(box.message.isDrafting.value).toBe(false);
    expect(box.toasts[0]).toMatchObject({
      title: "It was not sent to the agent",
      detail: "AGENT_TRUST_REQUIRED is why.",
    });
  });
});

test.each<[Partial<KnownAgent>, string | undefined]>([
  [{}, undefined],
  [{ activity: "working" }, "The agent is working."],
  [{ activity: "waiting" }, "The agent needs input first."],
  [{ state: "closed", mode: null }, "The agent is closed: start it."],
  [{ mode: "terminal" }, "The agent is in a terminal."],
])("an agent with %j cannot be asked because: %s", async (fields, reason) => {
  using box = openBox(fields);
  await box.ready();
  expect(box.requests.busy.value).toBe(reason);
});

test("a message is kept by the browser, and what is wrong there is left out", () => {
  keepMessage("agt_1", { text: "Add", asked: "tsk_1" });
  expect(readMessage("agt_1")).toEqual({ text: "Add", asked: "tsk_1" });
  forgetMessage("agt_1");
  expect(kept.size).toBe(0);
  for (const text of ["{", "7", "null", '{"text":1,"asked":[]}']) {
    kept.set("gantry-agents-commit-agt_1", text);
    expect(readMessage("agt_1")).toEqual({ text: "", asked: undefined });
  }
});
