import { userWords, type Conversation, type Turn } from "../conversation.ts";
import { toRecord, toRecords, toText, type Json } from "../json.ts";
import type { StopReason, Usage } from "../script.ts";
import type { ToolCall } from "../tool-call.ts";
import { openaiChat } from "./openai-chat.ts";
import {
  createId,
  toFragments,
  type Answer,
  type AnswerHead,
  type AnswerStream,
  type SendEvent,
  type Wire,
} from "./wire.ts";

/** OpenAI's responses. */
export const openaiResponses: Wire = {
  name: "openai-responses",
  read(body) {
    const input =
      typeof body["input"] === "string"
        ? [{ role: "user", content: body["input"] } as Json]
        : toRecords(body["input"]);
    const isSaid = ({ role }: Json) => role === "user" || role === "assistant";
    return {
      model: toText(body["model"]),
      stream: body["stream"] === true,
      system: [
        toText(body["instructions"]),
        ...input
          .filter((item) => isMessage(item) && !isSaid(item))
          .map(({ content }) => textOf(content)),
      ].join("\n"),
      tools: toRecords(body["tools"]).map((tool) => ({
        name: toText(tool["name"]) || toText(tool["type"]),
        schema: toRecord(tool["parameters"]),
      })),
      turns: input.flatMap(toTurns),
    } satisfies Conversation;
  },
  stream: createStream,
  whole: (head, answer) =>
    toResponse(head, createId("resp_"), "completed", toOutput(answer)),
  fault: openaiChat.fault,
  limit: (resetsAt) => ({
    headers: {
      "x-codex-primary-used-percent": "100",
      "x-codex-primary-window-minutes": "300",
      "x-codex-primary-reset-at": String(resetsAt),
    },
    body: {
      error: {
        type: "usage_limit_reached",
        message: "The usage limit has been reached",
        plan_type: "plus",
        resets_at: resetsAt,
      },
    },
  }),
};

function isMessage({ type }: Json): boolean {
  return type === undefined || type === "message";
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return toRecords(content)
    .map(({ text }) => toText(text))
    .join("\n");
}

function toTurns(item: Json): Turn[] {
  const type = toText(item["type"]);
  if (isMessage(item)) {
    const text = textOf(item["content"]);
    if (item["role"] === "assistant") return [{ kind: "assistant", text }];
    // What the client says of the folder and its rules comes in the user's name.
    const said = userWords(text);
    return item["role"] === "user" && said && !INSERTED.test(said)
      ? [{ kind: "user", text: said }]
      : [];
  }
  if (type.endsWith("_call_output")) {
    const { output } = item;
    const text = textOf(output) || JSON.stringify(output ?? "");
    return [{ kind: "result", text }];
  }
  if (type.endsWith("_call"))
    return [{ kind: "call", tool: toText(item["name"]) || type }];
  return [];
}

const INSERTED = /^(# AGENTS\.md instructions for |<[a-z_]+(_instructions)?>)/;

function createStream(head: AnswerHead, send: SendEvent): AnswerStream {
  const id = createId("resp_");
  const output: Json[] = [];
  const event = (type: string, data: Json) => send({ type, ...data }, type);
  let open: { id: string; text: string } | undefined;
  const add = (item: Json) => {
    event("response.output_item.done", { output_index: output.length, item });
    output.push(item);
  };
  const closeText = () => {
    if (!open) return;
    const { id: itemId, text } = open;
    open = undefined;
    const place = { item_id: itemId, output_index: output.length };
    event("response.output_text.done", { ...place, content_index: 0, text });
    add(toMessage(text, itemId));
  };
  return {
    begin() {
      const response = toResponse(head, id, "in_progress", []);
      event("response.created", { response });
      event("response.in_progress", { response });
    },
    think(text) {
      const item = { id: createId("rs_"), type: "reasoning" };
      const place = {
        item_id: item.id,
        output_index: output.length,
        summary_index: 0,
      };
      event("response.output_item.added", {
        output_index: output.length,
        item: { ...item, summary: [] },
      });
      const part = { type: "summary_text", text: "" };
      event("response.reasoning_summary_part.added", { ...place, part });
      event("response.reasoning_summary_text.delta", { ...place, delta: text });
      event("response.reasoning_summary_text.done", { ...place, text });
      const done = { type: "summary_text", text };
      event("response.reasoning_summary_part.done", { ...place, part: done });
      add({ ...item, summary: [done] });
    },
    text(text) {
      if (!open) {
        open = { id: createId("msg_"), text: "" };
        const item = { ...toMessage("", open.id), status: "in_progress" };
        const place = { output_index: output.length };
        event("response.output_item.added", {
          ...place,
          item: { ...item, content: [] },
        });
        event("response.content_part.added", {
          ...place,
          item_id: open.id,
          content_index: 0,
          part: { type: "output_text", text: "", annotations: [] },
        });
      }
      open.text += text;
      const place = { item_id: open.id, output_index: output.length };
      event("response.output_text.delta", {
        ...place,
        content_index: 0,
        delta: text,
      });
    },
    call(call) {
      closeText();
      const item = toCall(call);
      const place = { item_id: item["id"], output_index: output.length };
      event("response.output_item.added", {
        output_index: output.length,
        item: { ...item, status: "in_progress", arguments: "" },
      });
      const encoded = toText(item["arguments"]);
      for (const delta of toFragments(encoded))
        event("response.function_call_arguments.delta", { ...place, delta });
      event("response.function_call_arguments.done", {
        ...place,
        arguments: encoded,
      });
      add(item);
    },
    end(stop) {
      closeText();
      const reason = INCOMPLETE[stop];
      const status = reason ? "incomplete" : "completed";
      event(`response.${status}`, {
        response: {
          ...toResponse(head, id, status, output),
          ...(reason ? { incomplete_details: { reason } } : {}),
        },
      });
    },
  };
}

const INCOMPLETE: Partial<Record<StopReason, string>> = {
  length: "max_output_tokens",
  refusal: "content_filter",
};

function toResponse(
  { model, usage }: AnswerHead,
  id: string,
  status: string,
  output: readonly Json[],
): Json {
  return {
    id,
    object: "response",
    created_at: 0,
    status,
    model,
    output,
    ...(status === "in_progress" ? {} : { usage: toUsage(usage) }),
  };
}

function toOutput({ thinking, text, calls }: Answer): Json[] {
  const summary = [{ type: "summary_text", text: thinking }];
  return [
    ...(thinking ? [{ id: createId("rs_"), type: "reasoning", summary }] : []),
    ...(text ? [toMessage(text, createId("msg_"))] : []),
    ...calls.map(toCall),
  ];
}

function toMessage(text: string, id: string): Json {
  return {
    id,
    type: "message",
    status: "completed",
    role: "assistant",
    content: [{ type: "output_text", text, annotations: [] }],
  };
}

function toCall({ name, arguments: input }: ToolCall): Json {
  // Codex wants the server of a tool named beside it.
  const [, namespace, tool] = /^(mcp__[a-z0-9_]+?)__(.+)$/.exec(name) ?? [];
  return {
    id: createId("fc_"),
    type: "function_call",
    status: "completed",
    call_id: createId("call_"),
    ...(namespace ? { namespace, name: tool } : { name }),
    arguments: JSON.stringify(input),
  };
}

/** Here the cached tokens are a part of the input's, while scripts name them apart. */
function toUsage({ input, output, cacheRead, cacheWrite }: Usage): Json {
  const read = input + cacheRead + cacheWrite;
  return {
    input_tokens: read,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: read + output,
  };
}
