import * as z from "zod";

export const capabilitiesSchema = z.object({
  resume: z.boolean(),
  steer: z.boolean(),
  images: z.boolean(),
  permissions: z.boolean(),
  asksFirst: z.boolean(),
  model: z.boolean(),
  thinking: z.boolean(),
  extraPrompt: z.boolean(),
  readOnly: z.boolean(),
  compact: z.boolean(),
  commands: z.boolean(),
  fork: z.boolean(),
  clone: z.boolean(),
  terminal: z.boolean(),
  login: z.boolean(),
  nativeExport: z.boolean(),
  tools: z.boolean(),
  cost: z.enum(["usd", "tokens", "none"]),
});

/** A limit of the subscription that a CLI uses. */
export const usageWindow = z.object({
  name: z.string(),
  /** `null` if the CLI does not say. */
  usedPercent: z.number().nullable(),
  /** When it is reset; `null` if the CLI does not say. */
  resetsAt: z.string().nullable(),
  state: z.enum(["open", "nearly-used", "used-up"]),
});

/** A CLI as clients see it. */
export const cliView = z.object({
  name: z.string(),
  /** How it is called in a list. */
  title: z.string(),
  driver: z.string(),
  installed: z.boolean(),
  /** Why it is not, in words for the user. */
  reason: z.string().nullable(),
  version: z.string().nullable(),
  path: z.string().nullable(),
  capabilities: capabilitiesSchema,
  /** A new agent gets this one unless it is told otherwise. */
  isDefault: z.boolean(),
  /** Our own agent without a model. */
  isPractice: z.boolean(),
  /** Limits of its subscription, if it reported them since the daemon started. */
  windows: z.array(usageWindow),
});

export type CliView = z.infer<typeof cliView>;
