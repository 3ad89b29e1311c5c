import * as z from "zod";
import { ToolProblem } from "../tool-problem.ts";
import { defineVerb } from "./verb.ts";

const MAX_EXPRESSION_LENGTH = 50_000;
const MAX_ANSWER_LENGTH = 60_000;
const SCRIPT_TIMEOUT_MS = 10_000;

interface Evaluated {
  result: { value?: unknown };
  exceptionDetails?: { text: string; exception?: { description?: string } };
}

/** Tools of the tier `full`. */
export const SCRIPTING_VERBS = [
  defineVerb({
    name: "browser_evaluate",
    tier: "full",
    description: "Runs JavaScript in the page and gives its value as JSON.",
    input: z.object({ expression: z.string().max(MAX_EXPRESSION_LENGTH) }),
    async run(page, { expression }, signal) {
      const { result, exceptionDetails } = await page.call<Evaluated>(
        "Runtime.evaluate",
        {
          expression,
          awaitPromise: true,
          returnByValue: true,
          timeout: SCRIPT_TIMEOUT_MS,
        },
        { signal },
      );
      if (exceptionDetails)
        throw new ToolProblem(
          page.fence(
            cut(
              exceptionDetails.exception?.description ?? exceptionDetails.text,
            ),
          ),
        );
      return page.fence(cut(JSON.stringify(result.value) ?? "undefined"));
    },
  }),
  defineVerb({
    name: "browser_protocol",
    tier: "full",
    description: "One call of the Chrome DevTools Protocol to your tab.",
    input: z.object({
      method: z.string().max(100),
      params: z.record(z.string(), z.unknown()).optional(),
    }),
    async run(page, { method, params = {} }, signal) {
      const result = await page.call(method, params, { signal });
      return page.fence(cut(JSON.stringify(result)));
    },
  }),
];

function cut(text: string): string {
  return text.length > MAX_ANSWER_LENGTH
    ? `${text.slice(0, MAX_ANSWER_LENGTH)}…${text.length - MAX_ANSWER_LENGTH} more characters`
    : text;
}
