import * as z from "zod";

const usage = z.object({
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  cacheRead: z.unknown().optional(),
  cacheWrite: z.unknown().optional(),
  totalTokens: z.unknown().optional(),
  cost: z.object({ total: z.unknown().optional() }).optional().catch(undefined),
});

export type PiUsage = z.infer<typeof usage>;

const block = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("thinking"), thinking: z.string() }),
  z.object({ type: z.string() }).transform(() => ({ type: "other" as const })),
]);

/** A finished message of the model. */
export const assistantMessage = z.object({
  role: z.literal("assistant"),
  content: z.array(block),
  usage: usage.optional().catch(undefined),
  stopReason: z.string().optional().catch(undefined),
  errorMessage: z.string().optional().catch(undefined),
  provider: z.string().optional().catch(undefined),
  model: z.string().optional().catch(undefined),
});

export type AssistantMessage = z.infer<typeof assistantMessage>;

const toolResult = z
  .object({
    content: z
      .array(z.looseObject({ type: z.string(), text: z.string().optional() }))
      .optional(),
  })
  .catch({});

const uiRequest = z.object({
  type: z.literal("extension_ui_request"),
  id: z.string(),
  method: z.string(),
  title: z.string().default(""),
  message: z.string().optional(),
  options: z.array(z.string()).optional(),
  placeholder: z.string().optional(),
  prefill: z.string().optional(),
  timeout: z.number().optional(),
});

export type UiRequest = z.infer<typeof uiRequest>;

/** The lines of pi's RPC mode that this driver reads; pi says more, and lines of other types are passed over. */
export const piLine = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("response"),
    id: z.string().optional(),
    command: z.string(),
    success: z.boolean(),
    data: z.unknown().optional(),
    error: z.string().optional(),
  }),
  z.object({ type: z.literal("agent_start") }),
  z.object({
    type: z.literal("agent_end"),
    willRetry: z.boolean().optional(),
  }),
  z.object({ type: z.literal("agent_settled") }),
  z.object({
    type: z.literal("message_start"),
    message: z.looseObject({ role: z.string() }),
  }),
  z.object({
    type: z.literal("message_update"),
    assistantMessageEvent: z.object({
      type: z.string(),
      contentIndex: z.number().optional(),
      delta: z.string().optional(),
      content: z.string().optional(),
    }),
  }),
  z.object({
    type: z.literal("message_end"),
    message: z.union([
      assistantMessage,
      z.object({ role: z.string() }).transform(() => null),
    ]),
  }),
  z.object({
    type: z.literal("tool_execution_start"),
    toolCallId: z.string(),
    toolName: z.string(),
    args: z.unknown().optional(),
  }),
  z.object({
    type: z.literal("tool_execution_update"),
    toolCallId: z.string(),
    partialResult: toolResult,
  }),
  z.object({
    type: z.literal("tool_execution_end"),
    toolCallId: z.string(),
    result: toolResult,
    isError: z.boolean().catch(false),
  }),
  z.object({
    type: z.literal("auto_retry_start"),
    attempt: z.number().optional(),
    maxAttempts: z.number().optional(),
    errorMessage: z.string().optional(),
  }),
  z.object({ type: z.literal("auto_retry_end"), success: z.boolean() }),
  z.object({ type: z.literal("compaction_start") }),
  z.object({
    type: z.literal("compaction_end"),
    aborted: z.boolean().optional(),
    willRetry: z.boolean().optional(),
    errorMessage: z.string().optional(),
  }),
  z.object({ type: z.literal("extension_error"), error: z.string() }),
  uiRequest,
]);

export type PiLine = z.infer<typeof piLine>;

/** What `get_state` tells. */
export const piState = z.object({
  sessionId: z.string(),
  sessionFile: z.string().optional(),
  isStreaming: z.boolean(),
  isCompacting: z.boolean().catch(false),
  model: z
    .object({
      ...{ id: z.string(), provider: z.string() },
      contextWindow: z.unknown().optional(),
    })
    .optional()
    .catch(undefined),
});

export type PiState = z.infer<typeof piState>;

/** What `get_fork_messages` tells: the messages of the user, oldest first. */
export const piForkMessages = z.object({
  messages: z.array(z.looseObject({ entryId: z.string() })),
});

/** What `fork` and `clone` tell. */
export const piCopied = z.looseObject({ cancelled: z.boolean().catch(false) });

/** What `compact` tells. */
export const piCompacted = z.looseObject({
  tokensBefore: z.number().nonnegative().nullish().catch(null),
  estimatedTokensAfter: z.number().nonnegative().nullish().catch(null),
  usage: usage.nullish().catch(null),
});

/** What `get_commands` tells. */
export const piCommands = z.looseObject({
  commands: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string().catch(""),
      source: z.string().catch(""),
    }),
  ),
});

/** The text of a tool's result; pictures are only mentioned. */
export function toolOutput(result: z.infer<typeof toolResult>): string {
  return (result.content ?? [])
    .map((part) => part.text ?? `[${part.type}]`)
    .join("\n");
}
