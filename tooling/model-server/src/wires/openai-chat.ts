import {
  contentText,
  userWords,
  type Conversation,
  type Turn,
} from "../conversation.ts";
import { toRecord, toRecords, toText, type Json } from "../json.ts";
import type { StopReason, Usage } from "../script.ts";
import type { ToolCall } from "../tool-call.ts";
import {
  createId,
  toFragments,
  type Answer,
  type AnswerHead,
  type AnswerStream,
  type SendEvent,
  type Wire,
} from "./wire.ts";

const STOP: Record<StopReason, string> = {
  end: "stop",
  tool: "tool_calls",
  length: "length",
  refusal: "content_filter",
};

/** OpenAI's chat completions. */
export const openaiChat: Wire = {
  name: "openai-chat",
  read(body) {
    const messages = toRecords(body["messages"]);
    return {
      model: toText(body["model"]),
      stream: body["stream"] === true,
      system: messages
        .filter(isSystem)
        .map(({ content }) => contentText(content))
        .join("\n"),
      tools: toRecords(body["tools"]).map((tool) => {
        const { name, parameters } = toRecord(tool["function"]);
        return { name: toText(name), schema: toRecord(parameters) };
      }),
      turns: messages.flatMap(toTurns),
    } satisfies Conversation;
  },
  stream: createStream,
  whole: (head, answer) => ({
    id: createId("chatcmpl-"),
    object: "chat.completion",
    created: 0,
    model: head.model,
    choices: [
      {
        index: 0,
        message: toMessage(answer),
        finish_reason: STOP[answer.stop],
      },
    ],
    usage: toUsage(head.usage),
  }),
  fault(status, message) {
    // A client that reads "server error" tries again, so a 400 must not say it.
    const type =
      status === 429
        ? "rate_limit_exceeded"
        : status >= 500
          ? "server_error"
          : "invalid_request_error";
    return { error: { message, type, code: null } };
  },
};

function isSystem({ role }: Json): boolean {
  return role === "system" || role === "developer";
}

function toTurns(message: Json): Turn[] {
  const text = contentText(message["content"]);
  switch (message["role"]) {
    case "user":
      // This wire has no pictures in results of tools: OpenCode puts them into a message of its own.
      if (text.startsWith("Attached media from tool result:")) return [];
      return [{ kind: "user", text: userWords(text) }];
    case "tool":
      return [{ kind: "result", text }];
    case "assistant":
      return [
        ...(text ? [{ kind: "assistant", text } as const] : []),
        ...toRecords(message["tool_calls"]).map(
          (call) =>
            ({
              kind: "call",
              tool: toText(toRecord(call["function"])["name"]),
            }) as const,
        ),
      ];
    default:
      return [];
  }
}

function createStream(head: AnswerHead, send: SendEvent): AnswerStream {
  const base = {
    id: createId("chatcmpl-"),
    object: "chat.completion.chunk",
    created: 0,
    model: head.model,
  };
  const delta = (part: Json, reason: string | null = null) =>
    send({
      ...base,
      choices: [{ index: 0, delta: part, finish_reason: reason }],
    });
  let calls = 0;
  return {
    begin: () => delta({ role: "assistant", content: "" }),
    think: (text) => delta({ reasoning_content: text }),
    text: (text) => delta({ content: text }),
    call(call) {
      const index = calls++;
      delta({ tool_calls: [{ index, ...toCall(call, "") }] });
      for (const fragment of toFragments(JSON.stringify(call.arguments))) {
        delta({ tool_calls: [{ index, function: { arguments: fragment } }] });
      }
    },
    end(stop) {
      delta({}, STOP[stop]);
      send({ ...base, choices: [], usage: toUsage(head.usage) });
      send("[DONE]");
    },
  };
}

function toMessage({ text, thinking, calls }: Answer): Json {
  return {
    role: "assistant",
    content: text || null,
    ...(thinking && { reasoning_content: thinking }),
    ...(calls.length > 0 && {
      tool_calls: calls.map((call) =>
        toCall(call, JSON.stringify(call.arguments)),
      ),
    }),
  };
}

function toCall({ name }: ToolCall, encoded: string): Json {
  return {
    id: createId("call_"),
    type: "function",
    function: { name, arguments: encoded },
  };
}

/** Here the cached tokens are a part of the prompt's, while scripts name them apart. */
function toUsage({ input, output, cacheRead, cacheWrite }: Usage): Json {
  const prompt = input + cacheRead + cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: {
      cached_tokens: cacheRead,
      ...(cacheWrite > 0 && { cache_write_tokens: cacheWrite }),
    },
  };
}
