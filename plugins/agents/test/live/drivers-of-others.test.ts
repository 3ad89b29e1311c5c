import { definePlugin } from "@gantry/plugin";
import { expect, test } from "vitest";
import {
  AgentDrivers,
  NO_CAPABILITIES,
  AgentMessages,
  type AgentDriver,
  type AgentSession,
  type DriverListener,
} from "../../src/contract.ts";
import { AgentsKernel } from "../help/agents-kernel.ts";

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const capabilities: AgentDriver["capabilities"] = {
  ...NO_CAPABILITIES,
};

/** An agent without any process: it says what it hears, backwards. */
const mirror: AgentDriver = {
  name: "mirror",
  capabilities,
  trustPaths: [],
  async open(_input, listener: DriverListener) {
    let end: (value: { reason: "exit"; message: string }) => void = () =>
      undefined;
    const session: AgentSession = {
      sessionId: "mirror-1",
      resumeKey: null,
      capabilities,
      version: "1.0.0",
      pid: null,
      ended: new Promise((resolve) => (end = resolve)),
      async prompt({ text, turn }) {
        const answer = [...text].reverse().join("");
        void (async () => {
          await listener({
            type: "message",
            turn,
            channel: "text",
            text: answer,
          });
          await listener({
            type: "turn-ended",
            turn,
            stopReason: "end",
            answer,
            error: null,
          });
        })();
      },
      steer: () => Promise.reject(new Error("no")),
      abort: async () => undefined,
      answer: async () => undefined,
      end: async () => end({ reason: "exit", message: "It was told to end." }),
      kill: async () => end({ reason: "exit", message: "It was killed." }),
    };
    return session;
  },
};

const plugin = definePlugin({
  id: "mirror",
  api: 1,
  summary: "Brings a driver",
  mounts: [],
  needs: { drivers: AgentDrivers },
  setup: (ctx) => ctx.needs.drivers.add(mirror, ctx.signal),
});

test("a driver of another plugin works like ours, and goes with its plugin", async () => {
  await using agents = await AgentsKernel.start({
    beside: [plugin],
    clis: { mirror: { driver: "mirror", command: process.execPath } },
  });
  const { id } = await agents.create({ cli: "mirror" });
  expect((await agents.ask(id, "abc")).body).toEqual({
    answer: "cba",
    costUsd: null,
    stopReason: "end",
  });
  await agents.close(id);
  await agents.kernel.kernel.plugins.stop("mirror");
  const { body } = await agents.kernel.api.get<{
    items: { name: string; installed: boolean; reason: string }[];
  }>("/api/agents/clis");
  expect(body.items.find(({ name }) => name === "mirror")).toMatchObject({
    installed: false,
    reason: expect.stringContaining('driver "mirror"') as string,
  });
  expect((await agents.ask(id, "abc")).body).toMatchObject({
    code: "AGENT_CLI_MISSING",
  });
});

test("two drivers of one name: the second is refused", async () => {
  let refused: unknown;
  const second = definePlugin({
    id: "second",
    api: 1,
    summary: "Brings a driver whose name is taken",
    mounts: [],
    needs: { drivers: AgentDrivers },
    setup: async (ctx) => {
      await ctx.needs.drivers
        .add({ ...mirror, name: "pi" }, ctx.signal)
        .catch((error: unknown) => (refused = error));
    },
  });
  await using _agents = await AgentsKernel.start({ beside: [second] });
  expect(refused).toMatchObject({ code: "AGENT_DRIVER_TAKEN", status: 409 });
});

test("other plugins talk to agents by the service", async () => {
  let messages: AgentMessages | undefined;
  const inbox = definePlugin({
    id: "talker",
    api: 1,
    summary: "Talks to agents",
    mounts: [],
    needs: { messages: AgentMessages },
    setup: (ctx) => void (messages = ctx.needs.messages),
  });
  await using agents = await AgentsKernel.start({ beside: [inbox] });
  const signal = new AbortController().signal;
  const { id, cwd } = await agents.create({ cli: "practice" });
  expect(await messages?.describe({ agentId: id }, signal)).toEqual({
    id,
    name: "Tester",
    cwd,
    cli: "practice",
    state: "closed",
  });
  expect(
    await messages?.describe(
      { agentId: "agt_aaaaaaaaaaaaaaaaaaaaaaaa" },
      signal,
    ),
  ).toBeNull();
  const sent = await messages?.prompt(
    {
      agentId: id,
      message: "[[ask:Sure?]][[reply:ok]]",
      kind: "follow_up",
      source: "inbox",
    },
    signal,
  );
  expect(sent?.delivery).toBe("sent");
  const { dialog } = await agents.untilAgent(
    id,
    (agent) => agent.dialog !== null,
    "a question is open",
  );
  const answer = { agentId: id, dialogId: dialog?.id ?? "", optionId: "once" };
  await messages?.answerDialog(answer, signal);
  await expect(messages?.answerDialog(answer, signal)).rejects.toMatchObject({
    code: "DIALOG_CLOSED",
  });
  await agents.untilEntry(id, ({ text }) => text === "ok", "it continued");
  expect((await agents.tasks(id))[0]).toMatchObject({
    source: "inbox",
    kind: "follow_up",
  });

  const picture = { mimeType: "image/png", data: PIXEL };
  const send = (images: (typeof picture)[]) =>
    messages?.prompt(
      {
        agentId: id,
        message: "Look",
        images,
        kind: "prompt",
        source: "snippet",
      },
      signal,
    );
  await send([picture]);
  await agents.untilEntry(
    id,
    ({ text }) => text.includes("with 1 picture"),
    "it saw the picture",
  );
  await expect(send([{ ...picture, data: "none!" }])).rejects.toMatchObject({
    code: "AGENT_IMAGE_INVALID",
  });
});
