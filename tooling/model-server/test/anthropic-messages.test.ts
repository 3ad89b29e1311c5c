import { expect, it } from "vitest";
import { askAnthropic, post, startModels, user } from "./client.ts";

it("calls the shell by its own name, and continues once it has answered", async () => {
  const models = await startModels();
  const prompt =
    "[[usage:10:20:30:40]][[reply:first]][[tool:bash:ls -a]][[reply:second]]";
  const first = await askAnthropic(models, [user(prompt)]);
  expect(first.text).toBe("first");
  expect(first.calls).toEqual([
    { name: "Bash", arguments: { command: "ls -a" } },
  ]);
  expect(first.events.at(-2)).toMatchObject({
    type: "message_delta",
    delta: { stop_reason: "tool_use" },
    usage: {
      input_tokens: 10,
      output_tokens: 20,
      cache_read_input_tokens: 30,
      cache_creation_input_tokens: 40,
    },
  });
  const second = await askAnthropic(models, [
    user(prompt),
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "t", name: "Bash", input: {} }],
    },
    user([
      {
        type: "tool_result",
        tool_use_id: "t",
        content: [{ type: "text", text: "a.txt" }],
      },
    ]),
  ]);
  expect(second.text).toBe("second");
  expect(models.requests[1]).toMatchObject({ step: 1, toolResult: "a.txt" });
});

it("frames each block, and signs its thinking", async () => {
  const models = await startModels();
  const { events, thinking, text } = await askAnthropic(models, [
    user("[[think:hm]][[reply:a b]]"),
  ]);
  expect([thinking, text]).toEqual(["hm", "a b"]);
  expect(events.map((event) => event["type"])).toEqual([
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_delta",
    "content_block_stop",
    "content_block_start",
    "content_block_delta",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
  ]);
  expect(events[3]).toMatchObject({ delta: { type: "signature_delta" } });
  expect(
    events.filter((event) => "index" in event).map((event) => event["index"]),
  ).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
});

it("answers the last of several messages that arrive as one", async () => {
  const models = await startModels();
  const blocks = [
    { type: "text", text: "[[error:500]]" },
    {
      type: "text",
      text: "<system-reminder>[[error:500]]</system-reminder>[[reply:the last]]",
    },
    { type: "text", text: "<system-reminder>[[error:500]]</system-reminder>" },
  ];
  expect((await askAnthropic(models, [user(blocks)])).text).toBe("the last");
});

it("answers what was said while a turn ran", async () => {
  const models = await startModels();
  const content =
    "The user sent a new message while you were working:\n[[reply:steered]]\n\nIMPORTANT: continue";
  const { text } = await askAnthropic(models, [
    user("[[reply:old]]"),
    { role: "system", content },
  ]);
  expect(text).toBe("steered");
});

it("answers in one piece, and counts tokens", async () => {
  const models = await startModels();
  const messages = [user("[[usage:1:2]][[think:hm]][[reply:hello]]")];
  const whole = await post(models, "/v1/messages", {
    model: "model-1",
    messages,
  });
  expect(await whole.json()).toMatchObject({
    content: [
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "hello" },
    ],
    stop_reason: "end_turn",
    usage: { input_tokens: 1, output_tokens: 2 },
  });
  const count = await post(models, "/v1/messages/count_tokens", {
    model: "model-1",
    messages,
  });
  expect(await count.json()).toMatchObject({ input_tokens: 1 });
  expect(models.requests).toHaveLength(1);
});
