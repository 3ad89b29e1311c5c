import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DialogClosed, DialogOpened } from "../../src/contract.ts";

import { AgentsKernel, standIn } from "../help/agents-kernel.ts";

let agents: AgentsKernel;

beforeAll(async () => {
  agents = await AgentsKernel.start({
    clis: {
      pi: standIn("fake-pi"),
      rough: standIn("rough-acp"),
      gone: { driver: "acp", command: "/no/such/agent" },
    },
    limits: { openAgents: 50, abortMs: 300 },
  });
});
afterAll(() => agents.kernel.stop());

const api = () => agents.kernel.api;

describe("ui", () => {
  async function askThrough(cli: string, prompt: string) {
    const { id } = await agents.create({ cli });
    const answer = agents.ask(id, prompt);
    const { dialog } = await agents.untilAgent(
      id,
      (agent) => agent.dialog !== null,
      "a question is open",
    );
    const reply = (body: object) =>
      api().post<{ detail: string }>(`/api/agents/${id}/ui`, {
        dialogId: dialog?.id,
        ...body,
      });
    return { id, answer, dialog, reply };
  }

  test("only what the question offers is an answer", async () => {
    const { answer, reply, dialog } = await askThrough(
      "practice",
      "[[ask:Sure?]][[reply:ok]]",
    );
    for (const body of [
      {},
      { optionId: "nope" },
      { value: "text" },
      { optionId: "once", cancelled: true },
      { cancelled: false },
    ]) {
      expect(await reply(body)).toMatchObject({
        status: 400,
        body: { code: "DIALOG_ANSWER_INVALID" },
      });
    }
    expect(dialog).toMatchObject({
      title: "Sure?",
      body: "",
      takesText: false,
    });
    expect((await reply({ optionId: "once" })).body).toEqual({ ok: true });
    expect((await answer).body.answer).toBe("ok");
  });

  test("a rejection counts, and events report both ends", async () => {
    const { id, answer, reply, dialog } = await askThrough(
      "practice",
      "[[ask:Sure?]][[reply:ok]]",
    );
    await reply({ optionId: "no" });
    // The agent has nothing to say to that.
    expect((await answer).body["code"]).toBe("AGENT_TURN_FAILED");
    const opened = agents.kernel.events
      .all(DialogOpened)
      .filter(({ subject }) => subject === id);
    expect(opened.map(({ data }) => data)).toEqual([
      { ...dialog, agentName: "Tester" },
    ]);
    const closed = agents.kernel.events
      .all(DialogClosed)
      .filter(({ subject }) => subject === id);
    expect(closed.map(({ data }) => data)).toEqual([
      { dialogId: dialog?.id, answer: "Reject" },
    ]);
  });

  test("a question may take a text", async () => {
    const { answer, reply, dialog } = await askThrough(
      "pi",
      "[[question:Which branch?]]",
    );
    expect(dialog).toMatchObject({
      kind: "question",
      takesText: true,
      options: [],
    });
    await reply({ value: "main" });
    expect((await answer).body.answer).toBe("you said main");
  });

  test("it may be left without an answer", async () => {
    const { answer, reply } = await askThrough(
      "pi",
      "[[question:Which branch?]]",
    );
    await reply({ cancelled: true });
    expect((await answer).body.answer).toBe("you said nothing");
  });

  test("closing the agent closes the question", async () => {
    const { id, answer, reply } = await askThrough("pi", "[[ask:Sure?]]");
    await agents.close(id);
    expect((await answer).body.stopReason).toBe("cancelled");
    expect(await reply({ cancelled: true })).toMatchObject({
      status: 409,
      body: { code: "DIALOG_CLOSED" },
    });
  });
});
