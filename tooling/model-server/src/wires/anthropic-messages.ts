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
  end: "end_turn",
  tool: "tool_use",
  length: "max_tokens",
  refusal: "refusal",
};

const FAULTS: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};

/** Prefix of the headers with the limits of a subscription. */
const LIMIT = "anthropic-ratelimit-unified-";

/** How Claude Code hands over what the user said while a turn ran. */
const MID_TURN =
  /The user sent a new message while you were working:\n([\s\S]*?)(?:\n\nIMPORTANT:|$)/;

/** Anthropic's messages. */
export const anthropicMessages: Wire = {
  name: "anthropic-messages",
  read(body) {
    return {
      model: toText(body["model"]),
      stream: body["stream"] === true,
      system: contentText(body["system"]),
      tools: toRecords(body["tools"]).map((tool) => ({
        name: toText(tool["name"]),
        schema: toRecord(tool["input_schema"]),
      })),
      turns: toRecords(body["messages"]).flatMap(toTurns),
    } satisfies Conversation;
  },
  stream: createStream,
  whole: (head, answer) => ({
    ...toMessage(head, toContent(answer)),
    stop_reason: STOP[answer.stop],
    usage: { ...toInputUsage(head.usage), output_tokens: head.usage.output },
  }),
  fault: (status, message) => ({
    type: "error",
    error: { type: FAULTS[status] ?? "api_error", message },
  }),
  limit: (resetsAt) => ({
    headers: {
      "x-should-retry": "false",
      [`${LIMIT}status`]: "rejected",
      [`${LIMIT}reset`]: String(resetsAt),
      [`${LIMIT}representative-claim`]: "five_hour",
      [`${LIMIT}5h-status`]: "rejected",
      [`${LIMIT}5h-reset`]: String(resetsAt),
      [`${LIMIT}5h-utilization`]: "1.0",
      [`${LIMIT}overage-status`]: "rejected",
    },
    body: anthropicMessages.fault(429, "This is over your account's limit."),
  }),
};

function toTurns(message: Json): Turn[] {
  const { role, content } = message;
  const blocks =
    typeof content === "string"
      ? [{ type: "text", text: content }]
      : toRecords(content);
  const turns: Turn[] = [];
  for (const block of blocks) {
    if (role === "assistant" && block.type === "text")
      turns.push({ kind: "assistant", text: toText(block.text) });
    if (block.type === "tool_use")
      turns.push({ kind: "call", tool: toText(toRecord(block)["name"]) });
    if (block.type === "tool_result")
      turns.push({
        kind: "result",
        text: contentText(toRecord(block)["content"]),
      });
  }
  const texts = blocks
    .filter(({ type }) => type === "text")
    .map(({ text }) => toText(text));
  if (role === "user") {
    // Messages that follow each other arrive as one with several blocks; the last is the one to answer.
    const said = texts.map(userWords).filter(Boolean).at(-1);
    if (said) turns.push({ kind: "user", text: said });
  }
  const midTurn = texts
    .map((text) => MID_TURN.exec(text)?.[1])
    .findLast(Boolean);
  if (midTurn && role !== "assistant")
    turns.push({ kind: "user", text: midTurn });
  return turns;
}

function createStream(head: AnswerHead, send: SendEvent): AnswerStream {
  const event = (type: string, data: Json) => send({ type, ...data }, type);
  let index = -1;
  let open: "text" | "thinking" | "tool_use" | undefined;
  const close = () => {
    if (!open) return;
    // Clients send thinking back, and the real server checks the signature.
    if (open === "thinking")
      event("content_block_delta", {
        index,
        delta: { type: "signature_delta", signature: "c2lnbmVk" },
      });
    event("content_block_stop", { index });
    open = undefined;
  };
  const start = (kind: "text" | "thinking" | "tool_use", block: Json) => {
    if (open === kind && kind !== "tool_use") return;
    close();
    open = kind;
    index += 1;
    event("content_block_start", {
      index,
      content_block: { type: kind, ...block },
    });
  };
  const delta = (type: string, data: Json) =>
    event("content_block_delta", { index, delta: { type, ...data } });
  return {
    begin() {
      const usage = { ...toInputUsage(head.usage), output_tokens: 1 };
      event("message_start", {
        message: { ...toMessage(head, []), stop_reason: null, usage },
      });
    },
    think(text) {
      start("thinking", { thinking: "", signature: "" });
      delta("thinking_delta", { thinking: text });
    },
    text(text) {
      start("text", { text: "" });
      delta("text_delta", { text });
    },
    call(call) {
      start("tool_use", { id: createId("toolu_"), name: call.name, input: {} });
      for (const fragment of toFragments(JSON.stringify(call.arguments))) {
        delta("input_json_delta", { partial_json: fragment });
      }
    },
    end(stop) {
      close();
      event("message_delta", {
        delta: { stop_reason: STOP[stop], stop_sequence: null },
        usage: {
          ...toInputUsage(head.usage),
          output_tokens: head.usage.output,
        },
      });
      event("message_stop", {});
    },
  };
}

function toMessage({ model }: AnswerHead, content: Json[]): Json {
  return {
    id: createId("msg_"),
    type: "message",
    role: "assistant",
    model,
    content,
    stop_sequence: null,
  };
}

function toContent({ thinking, text, calls }: Answer): Json[] {
  return [
    ...(thinking
      ? [{ type: "thinking", thinking, signature: "c2lnbmVk" }]
      : []),
    ...(text ? [{ type: "text", text }] : []),
    ...calls.map((call: ToolCall) => ({
      type: "tool_use",
      id: createId("toolu_"),
      name: call.name,
      input: call.arguments,
    })),
  ];
}

function toInputUsage({ input, cacheRead, cacheWrite }: Usage): Json {
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
  };
}
