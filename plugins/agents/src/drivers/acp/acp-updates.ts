import * as z from "zod";

const content = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
});

const toolContent = z
  .array(
    z.looseObject({
      type: z.string(),
      content: content.optional(),
      path: z.string().optional(),
      newText: z.string().optional(),
    }),
  )
  .nullish()
  .catch(null);

const toolFields = {
  toolCallId: z.string(),
  title: z.string().nullish().catch(null),
  name: z.string().nullish().catch(null),
  kind: z.string().nullish().catch(null),
  status: z.string().nullish().catch(null),
  content: toolContent,
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
};

const configOption = z.looseObject({
  id: z.string(),
  category: z.string().nullish().catch(null),
  type: z.string().optional(),
  currentValue: z.unknown().optional(),
  options: z
    .array(
      z.looseObject({
        value: z.string().optional(),
        options: z.array(z.looseObject({ value: z.string() })).optional(),
      }),
    )
    .optional()
    .catch(undefined),
});

export type ConfigOption = z.infer<typeof configOption>;

export const configOptions = z.array(configOption).nullish().catch(null);

const planStatus = z
  .enum(["pending", "in_progress", "completed"])
  .catch("pending");

/** The updates that this driver reads. Agents send others too, and newer ones; those are passed over. */
export const sessionUpdate = z.object({
  sessionId: z.string(),
  update: z.discriminatedUnion("sessionUpdate", [
    z.object({ sessionUpdate: z.literal("user_message_chunk") }),
    z.object({
      sessionUpdate: z.literal("agent_message_chunk"),
      content,
      messageId: z.string().nullish().catch(null),
    }),
    z.object({
      sessionUpdate: z.literal("agent_thought_chunk"),
      content,
      messageId: z.string().nullish().catch(null),
    }),
    z.object({ sessionUpdate: z.literal("tool_call"), ...toolFields }),
    z.object({ sessionUpdate: z.literal("tool_call_update"), ...toolFields }),
    z.object({
      sessionUpdate: z.literal("usage_update"),
      used: z.unknown().optional(),
      size: z.unknown().optional(),
      cost: z
        .object({
          amount: z.unknown().optional(),
          currency: z.unknown().optional(),
        })
        .nullish()
        .catch(null),
    }),
    z.object({
      sessionUpdate: z.literal("available_commands_update"),
      availableCommands: z
        .array(
          z.looseObject({
            name: z.string(),
            description: z.string().catch(""),
          }),
        )
        .catch([]),
    }),
    z.object({
      sessionUpdate: z.literal("plan"),
      entries: z
        .array(z.looseObject({ content: z.string(), status: planStatus }))
        .catch([]),
    }),
    z.object({
      sessionUpdate: z.literal("config_option_update"),
      configOptions,
    }),
  ]),
});

export type SessionUpdate = z.infer<typeof sessionUpdate>["update"];
export type ToolUpdate = Extract<
  SessionUpdate,
  { sessionUpdate: "tool_call" | "tool_call_update" }
>;

/** The text of a piece of content; what is no text is only mentioned. */
export function contentText(part: z.infer<typeof content>): string {
  return part.text ?? `[${part.type}]`;
}

/** What a tool gave so far, `undefined` if an update says nothing of it. */
export function toolOutput(update: ToolUpdate): string | undefined {
  if (update.content && update.content.length > 0) {
    return update.content
      .map((part) => {
        if (part.content) return contentText(part.content);
        return part.type === "diff"
          ? `${part.path ?? ""}\n${part.newText ?? ""}`
          : `[${part.type}]`;
      })
      .join("\n");
  }
  if (update.rawOutput === undefined || update.rawOutput === null)
    return undefined;
  return typeof update.rawOutput === "string"
    ? update.rawOutput
    : JSON.stringify(update.rawOutput);
}

/** The values that an option can take, also those that stand in groups. */
export function optionValues(option: ConfigOption): string[] {
  return (option.options ?? []).flatMap((entry) =>
    entry.options
      ? entry.options.map(({ value }) => value)
      : entry.value === undefined
        ? []
        : [entry.value],
  );
}
