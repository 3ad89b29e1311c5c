import { expect, it } from "vitest";
import { askOpenai, post, startModels, user } from "./client.ts";

it("calls a tool, and continues once it has answered", async () => {
  const models = await startModels();
  const prompt =
    "go [[usage:100:20:5:7]][[tool:bash:echo a:b]][[reply:all done]]";
  const first = await askOpenai(models, [user(prompt)]);
  expect(first.calls).toEqual([
    { name: "bash", arguments: { command: "echo a:b" } },
  ]);
  expect(first.events.at(-1)!["usage"]).toEqual({
    prompt_tokens: 112,
    completion_tokens: 20,
    total_tokens: 132,
    prompt_tokens_details: { cached_tokens: 5, cache_write_tokens: 7 },
  });
  expect(first.events.at(-2)!["choices"]).toMatchObject([
    { finish_reason: "tool_calls" },
  ]);

  const second = await askOpenai(models, [
    user(prompt),
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", function: { name: "bash", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c", content: "a:b" },
  ]);
  expect(second.text).toBe("all done");
  expect(second.events.at(-2)!["choices"]).toMatchObject([
    { finish_reason: "stop" },
  ]);
  expect(models.requests[1]).toMatchObject({
    step: 1,
    toolResult: "a:b",
    usage: { input: 100 },
    outcome: "answered",
  });
});

it("takes pictures from a tool, which come as the user's, for no new prompt", async () => {
  const models = await startModels();
  const { text } = await askOpenai(models, [
    user("look [[toolj:shoot:{}]][[reply:all done]]"),
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", function: { name: "shoot", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c", content: "" },
    user("Attached media from tool result:"),
  ]);
  expect(text).toBe("all done");
});

it("answers in one piece when no stream is asked for", async () => {
  const models = await startModels();
  const response = await post(models, "/chat/completions", {
    model: "model-1",
    messages: [
      user('[[think:hm]][[reply:look]][[toolj:read:{"path":"a.txt"}]]'),
    ],
  });
  expect(await response.json()).toMatchObject({
    object: "chat.completion",
    choices: [
      {
        finish_reason: "tool_calls",
        message: {
          content: "look",
          reasoning_content: "hm",
          tool_calls: [
            {
              type: "function",
              function: { name: "read", arguments: '{"path":"a.txt"}' },
            },
          ],
        },
      },
    ],
  });
});

it("streams thinking, then words, then the end mark", async () => {
  const models = await startModels();
  const response = await post(models, "/v1/chat/completions", {
    model: "model-1",
    stream: true,
    messages: [user("[[think:well now]][[reply:one two]]")],
  });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const text = await response.text();
  expect(text.indexOf("well now")).toBeLessThan(text.indexOf("one "));
  expect(text).toMatch(
    /"content":"one ".*"content":"two".*data: \[DONE\]\n\n$/s,
  );
});
