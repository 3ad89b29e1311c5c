import { userWords, type Conversation, type Turn } from "../conversation.ts";
import { toRecord, toRecords, toText, type Json } from "../json.ts";
import type { StopReason, Usage } from "../script.ts";
import type { ToolCall } from "../tool-call.ts";
import {
  createId,
  type AnswerHead,
  type AnswerStream,
  type SendEvent,
  type Wire,
} from "./wire.ts";

const STOP: Record<StopReason, string> = {
  end: "STOP",
  tool: "STOP",
  length: "MAX_TOKENS",
  refusal: "SAFETY",
};

const FAULTS: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

/** Google's Gemini. Its model and whether it streams stand in the path; {@link geminiPath} puts them into the body. */
export const gemini: Wire = {
  name: "gemini",
  read(body) {
    return {
      model: toText(body["model"]),
      stream: body["stream"] === true,
      system: textOf(toRecord(body["systemInstruction"])["parts"]),
      tools: toRecords(body["tools"])
        .flatMap((tool) => toRecords(tool["functionDeclarations"]))
        .map((tool) => ({
          name: toText(tool["name"]),
          schema: toRecord(tool["parametersJsonSchema"] ?? tool["parameters"]),
        })),
      turns: toRecords(body["contents"]).flatMap(toTurns),
    } satisfies Conversation;
  },
  stream: createStream,
  whole: (head, { text, calls, stop }) =>
    toBody(
      head,
      [...(text ? [{ text }] : []), ...calls.map(toCall)],
      STOP[stop],
    ),
  fault: (status, message) => ({
    error: { code: status, message, status: FAULTS[status] ?? "INTERNAL" },
  }),
};

/** What a path of Gemini's asks for, `undefined` if it is none. */
export function geminiPath(
  path: string,
): { model: string; stream: boolean; counts: boolean } | undefined {
  const [, model, method] =
    /^\/(?:v1\w*\/)?models\/([^:/]+):(generateContent|streamGenerateContent|countTokens)$/.exec(
      path,
    ) ?? [];
  if (model === undefined) return undefined;
  return {
    model: decodeURIComponent(model),
    stream: method === "streamGenerateContent",
    counts: method === "countTokens",
  };
}

function textOf(parts: unknown): string {
  return toRecords(parts)
    .map(({ text }) => toText(text))
    .join("\n");
}

function toTurns({ role, parts }: Json): Turn[] {
  return toRecords(parts).flatMap((part): Turn[] => {
    if (part["functionCall"])
      return [
        { kind: "call", tool: toText(toRecord(part["functionCall"])["name"]) },
      ];
    if (part["functionResponse"]) {
      const { response } = toRecord(part["functionResponse"]);
      return [{ kind: "result", text: JSON.stringify(response) }];
    }
    if (part["thought"]) return [];
    const text = toText(part["text"]);
    if (role === "model") return text ? [{ kind: "assistant", text }] : [];
    const said = userWords(text);
    return said ? [{ kind: "user", text: said }] : [];
  });
}

function createStream(head: AnswerHead, send: SendEvent): AnswerStream {
  const part = (piece: Json) => send(toBody(head, [piece]));
  return {
    begin: () => undefined,
    think: (text) => part({ text, thought: true }),
    text: (text) => part({ text }),
    call: (call) => part(toCall(call)),
    end: (stop) => send(toBody(head, [{ text: "" }], STOP[stop])),
  };
}

function toCall({ name, arguments: args }: ToolCall): Json {
  return { functionCall: { id: createId("call_"), name, args } };
}

function toBody(
  { model, usage }: AnswerHead,
  parts: Json[],
  finishReason?: string,
): Json {
  const candidate = { index: 0, content: { role: "model", parts } };
  return {
    candidates: [finishReason ? { ...candidate, finishReason } : candidate],
    usageMetadata: toUsage(usage),
    modelVersion: model,
    responseId: createId("resp_"),
  };
}

function toUsage({ input, output, cacheRead, cacheWrite }: Usage): Json {
  const read = input + cacheRead + cacheWrite;
  return {
    promptTokenCount: read,
    cachedContentTokenCount: cacheRead,
    candidatesTokenCount: output,
    totalTokenCount: read + output,
  };
}
