import * as z from "zod";
import { hasTier } from "../guard/judge-call.ts";
import type { Tier } from "../records/schemas.ts";
import { ACTING_VERBS } from "./verbs/acting-verbs.ts";
import { NAVIGATING_VERBS } from "./verbs/navigating-verbs.ts";
import { READING_VERBS } from "./verbs/reading-verbs.ts";
import { SCRIPTING_VERBS } from "./verbs/scripting-verbs.ts";
import type { Verb } from "./verbs/verb.ts";

/** All tools that an agent can be offered. */
export const CATALOGUE: readonly Verb[] = [
  ...READING_VERBS,
  ...NAVIGATING_VERBS,
  ...ACTING_VERBS,
  ...SCRIPTING_VERBS,
];

/** Description of a tool for the agent's client. */
export interface ToolDescription {
  name: string;
  description: string;
  inputSchema: { type: "object"; [key: string]: unknown };
  annotations: { readOnlyHint: boolean };
}

/** The tools of a tier. */
export function verbsOf(tier: Tier): readonly Verb[] {
  return CATALOGUE.filter((verb) => hasTier(tier, verb.tier));
}

/** Descriptions of the tools that an agent with this tier is offered. */
export function describeTools(tier: Tier): ToolDescription[] {
  return verbsOf(tier).map(({ name, description, input, ...verb }) => ({
    name,
    description,
    inputSchema: toInputSchema(input),
    annotations: { readOnlyHint: verb.tier === "read" },
  }));
}

function toInputSchema(input: z.ZodObject): ToolDescription["inputSchema"] {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input" });
  return schema as ToolDescription["inputSchema"];
}
