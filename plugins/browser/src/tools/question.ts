import { defineEvent } from "@gantry/plugin";
import { timestamp } from "@gantry/plugin/zod";
import * as z from "zod";

/** The user's answer to a question: allow once, allow always, or deny. */
export const questionAnswer = z.enum(["once", "always", "no"]);
export type QuestionAnswer = z.infer<typeof questionAnswer>;

/** A call of an agent that its policy does not allow, and that waits for the user. */
export const question = z.object({
  id: z.string(),
  agentId: z.string(),
  /** What is requested: to open a site, or a higher tier for a tool. */
  kind: z.enum(["site", "tier"]),
  /** The site, as a policy lists it; `null` for a tier. */
  site: z.string().nullable(),
  /** The tier; `null` for a site. */
  tier: z.enum(["read", "act", "full"]).nullable(),
  /** The tool that was called. */
  tool: z.string(),
  /** The details, such as the address. Plain text that the agent wrote. */
  detail: z.string(),
  createdAt: timestamp,
  expiresAt: timestamp,
});
export type Question = z.infer<typeof question>;

export const QuestionChanged = defineEvent<{
  agentId: string;
  state: "open" | QuestionAnswer | "expired" | "withdrawn";
}>(
  "browser.question-changed",
  "An agent asks for more than its policy allows in the browser, or does not wait for an answer any more.",
);
