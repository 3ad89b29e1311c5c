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
  costCap: z.boolean(),
  cost: z.enum(["usd", "tokens", "none"]),
});

/** A CLI as clients see it. */
export const cliView = z.object({
  name: z.string(),
  /** Display name. */
  title: z.string(),
  driver: z.string(),
  installed: z.boolean(),
  /** Why it is not installed, as a text for the user; `null` if it is. */
  reason: z.string().nullable(),
  version: z.string().nullable(),
  path: z.string().nullable(),
  capabilities: capabilitiesSchema,
  /** Whether a new agent uses this CLI if none is given. */
  isDefault: z.boolean(),
  /** Whether it is the built-in practice agent, which needs no model. */
  isPractice: z.boolean(),
});

export type CliView = z.infer<typeof cliView>;
