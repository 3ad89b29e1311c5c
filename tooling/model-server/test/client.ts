import { onTestFinished } from "vitest";
import { startModelServer, type ModelServer } from "../src/index.ts";

type Json = Record<string, unknown>;

/** What a streamed answer was, put together from its events. */
export interface Streamed {
  status: number;
  events: Json[];
  text: string;
  thinking: string;
  calls: { name: string; arguments: unknown }[];
}

const BASH = {
  type: "object",
  properties: { command: { type: "string" } },
  required: ["command"],
};

/** A server that ends with the test. */
export async function startModels(): Promise<ModelServer> {
  const models = await startModelServer();
  onTestFinished(() => models.close());
  return models;
}

/** Sends a body as a CLI would. */
export function post(
  models: ModelServer,
  path: string,
  body: Json,
  init: RequestInit = {},
): Promise<Response> {
  return fetch(models.url + path, {
    method: "POST",
    headers: {
      authorization: "Bearer any-key",
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
    ...init,
  });
}

/** The events of a stream. */
export function readEvents(text: string): Json[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice("data: ".length)) as Json);
}

/** Asks by OpenAI's wire, offering a shell. */
export async function askOpenai(
  models: ModelServer,
  messages: Json[],
  more: Json = {},
): Promise<Streamed> {
  const tools = [
    { type: "function", function: { name: "bash", parameters: BASH } },
  ];
  const response = await post(models, "/v1/chat/completions", {
    model: "model-1",
    stream: true,
    tools,
    messages,
    ...more,
  });
  const events = readEvents(await response.text());
  const deltas = events.flatMap((event) =>
    (event["choices"] as { delta: Json }[]).map(({ delta }) => delta),
  );
  const parts = deltas.flatMap(
    (delta) =>
      (delta["tool_calls"] ?? []) as {
        function: { name?: string; arguments: string };
      }[],
  );
  const names = parts.flatMap((part) => part.function.name ?? []);
  return {
    status: response.status,
    events,
    text: deltas.map((delta) => delta["content"] ?? "").join(""),
    thinking: deltas.map((delta) => delta["reasoning_content"] ?? "").join(""),
    calls: names.map((name) => ({
      name,
      arguments: JSON.parse(
        parts.map((part) => part.function.arguments).join(""),
      ) as unknown,
    })),
  };
}

/** Asks by Anthropic's wire, offering a shell. */
export async function askAnthropic(
  models: ModelServer,
  messages: Json[],
  more: Json = {},
): Promise<Streamed> {
  const tools = [{ name: "Bash", input_schema: BASH }];
  const response = await post(models, "/v1/messages?beta=true", {
    model: "model-1",
    stream: true,
    tools,
    messages,
    ...more,
  });
  const events = readEvents(await response.text());
  const deltas = events.map((event) => (event["delta"] ?? {}) as Json);
  const started = events.map((event) => (event["content_block"] ?? {}) as Json);
  const encoded = deltas.map((delta) => delta["partial_json"] ?? "").join("");
  return {
    status: response.status,
    events,
    text: deltas.map((delta) => delta["text"] ?? "").join(""),
    thinking: deltas.map((delta) => delta["thinking"] ?? "").join(""),
    calls: started
      .filter((block) => block["type"] === "tool_use")
      .map((block) => ({
        name: String(block["name"]),
        arguments: JSON.parse(encoded) as unknown,
      })),
  };
}

/** A message of the user. */
export function user(content: unknown): Json {
  return { role: "user", content };
}
