import * as z from "zod";
import type { Tier } from "../../records/schemas.ts";
import type { AgentPage } from "../agent-page.ts";

/** A part of an answer, as MCP defines it. */
export type VerbContent =
  | { type: "text"; text: string }
  | { type: "image"; data: string; mimeType: string };

/** A tool of an agent. */
export interface Verb {
  readonly name: string;
  /** The lowest tier that includes it. */
  readonly tier: Exclude<Tier, "none">;
  /** Keep it short: it takes up context in each session of every agent. */
  readonly description: string;
  readonly input: z.ZodObject;
  /**
   * Runs the tool with input that matches the schema. Rejects with a message for the agent; ends early when `signal`
   * aborts.
   */
  run(
    page: AgentPage,
    input: unknown,
    signal: AbortSignal,
  ): Promise<VerbContent[]>;
}

/** Declares a tool; infers the type of its input from the schema. */
export function defineVerb<Input extends z.ZodObject>(
  verb: Omit<Verb, "input" | "run"> & {
    input: Input;
    run(
      page: AgentPage,
      input: z.output<Input>,
      signal: AbortSignal,
    ): Promise<VerbContent[] | string>;
  },
): Verb {
  return {
    ...verb,
    async run(page, input, signal) {
      const content = await verb.run(page, input as z.output<Input>, signal);
      return typeof content === "string"
        ? [{ type: "text", text: content }]
        : content;
    },
  };
}

/** Input of tools that act on an element of the snapshot. */
export const elementRef = z
  .string()
  .regex(/^e\d{1,9}$/)
  .describe("ref in the newest snapshot");
