import * as z from "zod";

const id = z.union([z.string(), z.number()]);

export type RequestId = z.infer<typeof id>;

/** A line of the wire: a call of Codex's, or an answer to one of ours. */
export const codexLine = z.looseObject({
  id: id.optional().catch(undefined),
  method: z.string().optional().catch(undefined),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.looseObject({}).optional().catch(undefined),
});

const failure = z
  .looseObject({
    message: z.string(),
    codexErrorInfo: z.unknown().optional(),
    additionalDetails: z.unknown().optional(),
  })
  .nullish()
  .catch(null);

export type CodexFailure = NonNullable<z.infer<typeof failure>>;

const turn = z.looseObject({
  id: z.string(),
  status: z.string().catch(""),
  error: failure,
  items: z.array(z.looseObject({ type: z.string() })).catch([]),
});

const change = z.looseObject({
  path: z.string(),
  diff: z.string().catch(""),
});

/** The items that this driver shows. Others are passed over. */
export const codexItem = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("agentMessage"),
    id: z.string(),
    text: z.string(),
  }),
  z.object({
    type: z.literal("reasoning"),
    id: z.string(),
    summary: z.array(z.string()).catch([]),
    content: z.array(z.string()).catch([]),
  }),
  z.object({
    type: z.literal("commandExecution"),
    id: z.string(),
    command: z.string(),
    cwd: z.string().catch(""),
    status: z.string().catch(""),
    aggregatedOutput: z.string().nullish().catch(null),
    exitCode: z.number().nullish().catch(null),
  }),
  z.object({
    type: z.literal("fileChange"),
    id: z.string(),
    changes: z.array(change).catch([]),
    status: z.string().catch(""),
  }),
  z.object({
    type: z.literal("mcpToolCall"),
    id: z.string(),
    server: z.string(),
    tool: z.string(),
    arguments: z.unknown().optional(),
    status: z.string().catch(""),
    result: z.unknown().optional(),
    error: failure,
  }),
  z.object({
    type: z.literal("webSearch"),
    id: z.string(),
    query: z.string().catch(""),
  }),
  z.object({ type: z.literal("contextCompaction"), id: z.string() }),
]);

export type CodexItem = z.infer<typeof codexItem>;

const tokens = z
  .object({
    inputTokens: z.unknown().optional(),
    outputTokens: z.unknown().optional(),
    totalTokens: z.unknown().optional(),
  })
  .catch({});

export type CodexTokens = z.infer<typeof tokens>;

const inTurn = { threadId: z.string(), turnId: z.string().catch("") };

/** Parameters of the notifications that this driver reads. */
export const notifications = {
  "turn/started": z.object({ threadId: z.string(), turn }),
  "turn/completed": z.object({ threadId: z.string(), turn }),
  "turn/plan/updated": z.object({
    ...inTurn,
    plan: z.array(
      z.looseObject({ step: z.string(), status: z.string().catch("") }),
    ),
  }),
  "item/started": z.object({ ...inTurn, item: codexItem }),
  "item/completed": z.object({ ...inTurn, item: codexItem }),
  "item/agentMessage/delta": z.object({ ...inTurn, delta: z.string() }),
  "item/reasoning/summaryTextDelta": z.object({
    ...inTurn,
    delta: z.string(),
  }),
  "item/reasoning/textDelta": z.object({ ...inTurn, delta: z.string() }),
  "item/commandExecution/outputDelta": z.object({
    ...inTurn,
    itemId: z.string(),
    delta: z.string(),
  }),
  "thread/tokenUsage/updated": z.object({
    ...inTurn,
    tokenUsage: z.object({
      ...{ total: tokens, last: tokens },
      modelContextWindow: z.unknown().optional(),
    }),
  }),
  "serverRequest/resolved": z.object({ threadId: z.string(), requestId: id }),
  error: z.object({
    ...inTurn,
    error: z.looseObject({
      message: z.string(),
      codexErrorInfo: z.unknown().optional(),
      additionalDetails: z.unknown().optional(),
    }),
    willRetry: z.boolean().catch(false),
  }),
  "model/rerouted": z.object({ ...inTurn, toModel: z.string() }),
} as const;

/** What `config/read` tells, as far as it is of interest. */
export const codexConfig = z.looseObject({
  config: z.looseObject({
    mcp_servers: z.record(z.string(), z.unknown()).nullish(),
  }),
});

/** What `thread/start`, `thread/resume` and `thread/fork` tell. */
export const codexThread = z.looseObject({
  model: z.string().nullish().catch(null),
  thread: z.looseObject({
    id: z.string().min(1),
    path: z.string().nullish().catch(null),
  }),
});

/** What `turn/start` tells. */
export const codexTurn = z.looseObject({ turn });

/** What `thread/turns/list` tells. */
export const codexTurns = z.looseObject({
  data: z.array(turn),
  nextCursor: z.string().nullish().catch(null),
});

/** A request for a permission to run a command. */
export const commandApproval = z.object({
  threadId: z.string(),
  itemId: z.string(),
  command: z.string().nullish().catch(null),
  cwd: z.string().nullish().catch(null),
  reason: z.string().nullish().catch(null),
});

/** Questions to the user. */
export const userInput = z.object({
  threadId: z.string(),
  questions: z
    .array(
      z.looseObject({
        id: z.string(),
        question: z.string(),
        options: z
          .array(
            z.looseObject({
              label: z.string(),
              description: z.string().catch(""),
            }),
          )
          .nullish()
          .catch(null),
      }),
    )
    .min(1),
});
