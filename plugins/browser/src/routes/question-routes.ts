import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import { errors } from "../errors.ts";
import { question, questionAnswer } from "../tools/question.ts";
import type { Questions } from "../tools/questions.ts";

/** Routes that list and answer questions of agents. */
export function createQuestionRoutes(questions: Questions): RouteDefinition[] {
  return [
    defineRoute({
      method: "GET",
      path: "/api/browser/questions",
      summary: "What agents ask for in the browser and wait for",
      description:
        "A call that a policy does not allow waits for at most 10 minutes. The event `browser.question-changed` tells when one comes or goes.",
      access: "session",
      query: z.strictObject({ agentId: z.string().max(100).optional() }),
      returns: z.object({ items: z.array(question) }),
      handle: ({ query: { agentId } }) => ({
        items: questions
          .list()
          .filter((one) => agentId === undefined || one.agentId === agentId),
      }),
    }),
    defineRoute({
      method: "POST",
      path: "/api/browser/questions/{id}",
      summary: "Answer what an agent asks for",
      description:
        "`once` allows it for this call and the page that it loads, `always` writes it into the policy of the agent, `no` refuses it.",
      access: "session",
      params: {
        id: {
          pattern: /^bqn_\w{1,60}$/,
          missing: errors.BROWSER_QUESTION_NOT_FOUND,
        },
      },
      body: z.strictObject({ answer: questionAnswer }),
      returns: question,
      errors: ["BROWSER_QUESTION_NOT_FOUND", "BROWSER_QUESTION_CLOSED"],
      handle: ({ params: { id }, body: { answer } }) =>
        questions.answer(id, answer),
    }),
  ];
}
