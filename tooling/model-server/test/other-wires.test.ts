import { expect, it } from "vitest";
import { post, readEvents, startModels } from "./client.ts";

type Json = Record<string, unknown>;

const SHELL = {
  type: "object",
  properties: { command: { type: "string" } },
  required: ["command"],
};
const PROMPT =
  "[[usage:10:20:30:40]][[think:hm]][[reply:a b]][[tool:bash:ls]][[reply:then]]";

it("answers by OpenAI's responses, and continues once a tool has answered", async () => {
  const models = await startModels();
  const tools = [{ type: "function", name: "shell", parameters: SHELL }];
  const said = {
    type: "message",
    role: "user",
    content: [{ type: "input_text", text: PROMPT }],
  };
  const ask = async (input: Json[]) => {
    const body = {
      model: "m",
      stream: true,
      instructions: "Be.",
      tools,
      input,
    };
    return readEvents(await (await post(models, "/v1/responses", body)).text());
  };
  const first = await ask([
    { role: "developer", content: "Rules." },
    { role: "user", content: "# AGENTS.md instructions for /p" },
    said,
  ]);
  const texts = first.filter(
    ({ type }) => type === "response.output_text.delta",
  );
  expect(texts.map(({ delta }) => delta).join("")).toBe("a b");
  const { response } = first.at(-1) as { response: Json };
  expect(first.at(-1)).toMatchObject({ type: "response.completed" });
  expect(response).toMatchObject({
    output: [
      { type: "reasoning" },
      { type: "message", content: [{ text: "a b" }] },
      { type: "function_call", name: "shell", arguments: '{"command":"ls"}' },
    ],
    usage: {
      input_tokens: 80,
      input_tokens_details: { cached_tokens: 30 },
      output_tokens: 20,
    },
  });
  const second = await ask([
    said,
    { type: "function_call", name: "shell", arguments: "{}" },
    { type: "function_call_output", output: "a.txt" },
  ]);
  expect(JSON.stringify(second.at(-1))).toContain('"text":"then"');
  expect(models.requests[0]).toMatchObject({ system: "Be.\nRules." });
  expect(models.requests[1]).toMatchObject({ step: 1, toolResult: "a.txt" });
});

it("answers by Gemini's API, streamed, whole, and with a count", async () => {
  const models = await startModels();
  const body = {
    systemInstruction: { parts: [{ text: "Be." }] },
    tools: [
      {
        functionDeclarations: [
          { name: "run_shell_command", parametersJsonSchema: SHELL },
        ],
      },
    ],
    contents: [{ role: "user", parts: [{ text: PROMPT }] }],
  };
  const path = "/v1beta/models/gemini-x";
  const events = readEvents(
    await (
      await post(models, `${path}:streamGenerateContent?alt=sse`, body)
    ).text(),
  ) as { candidates: { content: { parts: Json[] } }[] }[];
  const parts = events.flatMap((event) => event.candidates[0]?.content.parts);
  expect(parts).toMatchObject([
    { text: "hm", thought: true },
    { text: "a " },
    { text: "b" },
    { functionCall: { name: "run_shell_command", args: { command: "ls" } } },
    { text: "" },
  ]);
  expect(events.at(-1)).toMatchObject({
    candidates: [{ finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 80, candidatesTokenCount: 20 },
  });
  const whole = await post(models, `${path}:generateContent`, {
    contents: [
      ...body.contents,
      { role: "model", parts: [{ functionCall: { name: "x" } }] },
      {
        role: "user",
        parts: [{ functionResponse: { response: { output: "a.txt" } } }],
      },
    ],
  });
  expect(await whole.json()).toMatchObject({
    candidates: [{ content: { parts: [{ text: "then" }] } }],
  });
  const count = await post(models, `${path}:countTokens`, body);
  expect(await count.json()).toMatchObject({ totalTokens: 10 });
  expect(models.requests).toHaveLength(2);
  expect(models.requests[0]).toMatchObject({
    model: "gemini-x",
    system: "Be.",
  });
});
