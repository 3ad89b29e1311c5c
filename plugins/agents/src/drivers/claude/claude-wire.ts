import * as z from "zod";

const block = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("thinking"), thinking: z.string() }),
  z.object({
    type: z.literal("tool_use"),
    id: z.string(),
    name: z.string(),
    input: z.unknown().optional(),
  }),
  z.object({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    content: z.unknown().optional(),
    is_error: z.boolean().nullish().catch(false),
  }),
  z.object({ type: z.string() }).transform(() => ({ type: "other" as const })),
]);

/** A command that Claude Code lists. */
const listedCommand = z.looseObject({
  name: z.string(),
  description: z.string().catch(""),
});

const usage = z.object({
  input_tokens: z.unknown().optional(),
  output_tokens: z.unknown().optional(),
  cache_creation_input_tokens: z.unknown().optional(),
  cache_read_input_tokens: z.unknown().optional(),
});

const parent = z.string().nullish().catch(null);

const text = z.string().optional().catch(undefined);
const taskId = z
  .union([z.string().min(1), z.number()])
  .transform(String)
  .optional()
  .catch(undefined);
const flag = z.boolean().optional().catch(undefined);
const task = {
  task_id: taskId,
  description: text,
  task_type: text,
  /** A tool call waits for it otherwise, so that it is over with its turn. */
  is_backgrounded: flag,
  awaited: flag,
  /** It is no activity, such as a watcher. */
  ambient: flag,
};

const system = z.object({
  type: z.literal("system"),
  subtype: z.string(),
  session_id: text,
  model: text,
  attempt: z.number().optional().catch(undefined),
  max_retries: z.number().optional().catch(undefined),
  error: text,
  ...task,
  status: text,
  patch: z
    .object({ status: text, is_backgrounded: flag })
    .optional()
    .catch(undefined),
  tasks: z.array(z.object(task)).optional().catch(undefined),
  compact_metadata: z
    .object({
      pre_tokens: z.number().nonnegative().nullish().catch(null),
      post_tokens: z.number().nonnegative().nullish().catch(null),
    })
    .optional()
    .catch(undefined),
});

export type ClaudeSystem = z.infer<typeof system>;

const rateLimit = z.object({
  status: text,
  resetsAt: z.unknown().optional(),
  rateLimitType: text,
  utilization: z.unknown().optional(),
  overageStatus: text,
  isUsingOverage: z.boolean().optional().catch(undefined),
});

export type ClaudeRateLimit = z.infer<typeof rateLimit>;

const result = z.object({
  type: z.literal("result"),
  // Whatever stands in its other fields, this line ends a turn.
  subtype: z.string().catch("success"),
  is_error: z.boolean().catch(false),
  result: z.string().optional().catch(undefined),
  errors: z.array(z.unknown()).optional().catch(undefined),
  num_turns: z.unknown().optional(),
  api_error_status: z.unknown().optional(),
  total_cost_usd: z.unknown().optional(),
  usage: usage.optional().catch(undefined),
  /** By the name of the model. */
  modelUsage: z
    .record(z.string(), z.object({ contextWindow: z.unknown().optional() }))
    .optional()
    .catch(undefined),
});

export type ClaudeResult = z.infer<typeof result>;

const permission = z.object({
  subtype: z.literal("can_use_tool"),
  tool_name: z.string(),
  input: z.record(z.string(), z.unknown()).catch({}),
  description: z.string().optional().catch(undefined),
  permission_suggestions: z
    .array(z.looseObject({ type: z.string() }))
    .catch([]),
});

export type ClaudePermission = z.infer<typeof permission>;

/** The lines that this driver reads. Claude Code says more, and lines of other types are passed over. */
export const claudeLine = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("control_response"),
    response: z.object({
      subtype: z.string(),
      request_id: z.string(),
      response: z.unknown().optional(),
      error: z.string().optional().catch(undefined),
    }),
  }),
  z.object({
    type: z.literal("control_request"),
    request_id: z.string(),
    request: z.union([
      permission,
      z.object({ subtype: z.string() }).transform(() => null),
    ]),
  }),
  z.object({
    type: z.literal("control_cancel_request"),
    request_id: z.string(),
  }),
  system,
  z.object({
    type: z.literal("rate_limit_event"),
    rate_limit_info: rateLimit,
  }),
  z.object({
    type: z.literal("stream_event"),
    parent_tool_use_id: parent,
    event: z.looseObject({
      type: z.string(),
      delta: z
        .looseObject({
          type: z.string(),
          text: z.string().optional(),
          thinking: z.string().optional(),
        })
        .optional()
        .catch(undefined),
    }),
  }),
  z.object({
    type: z.literal("assistant"),
    parent_tool_use_id: parent,
    /** Set on the words that stand for a failed request. */
    error: z.unknown().optional(),
    message: z.object({
      content: z.array(block).catch([]),
      model: text,
      usage: usage.optional().catch(undefined),
    }),
  }),
  z.object({
    type: z.literal("user"),
    uuid: z.string().optional().catch(undefined),
    isReplay: z.boolean().optional().catch(undefined),
    parent_tool_use_id: parent,
    tool_use_result: z.unknown().optional(),
    message: z.object({
      content: z.union([z.string(), z.array(block)]).catch(""),
    }),
  }),
  result,
]);

export type ClaudeLine = z.infer<typeof claudeLine>;

/** A message of the model, or words that stand for a failed request. */
export type ClaudeMessage = Extract<ClaudeLine, { type: "assistant" }>;

/** What `initialize` tells. */
export const claudeHello = z.looseObject({
  commands: z.array(listedCommand).catch([]),
});

/** What `get_session_cost` tells. */
export const claudeCost = z.looseObject({ text: z.string() });
