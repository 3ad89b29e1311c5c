import { defineErrors } from "@gantry/plugin";
import type { PluginDefinition } from "@gantry/plugin";
import { AgentMessages } from "@gantry/plugin-agents/contract";
import { provideFake } from "@gantry/plugin-testing";

type Prompt = Parameters<AgentMessages["prompt"]>[0];
type Answer = Parameters<AgentMessages["answerDialog"]>[0];
type Continued = Parameters<AgentMessages["continueTurn"]>[0];

/** The errors that the agents plugin answers with. */
export const agentErrors = defineErrors({
  AGENT_NOT_FOUND: {
    status: 404,
    title: "No such agent",
    detail: "There is no agent {id}.",
  },
  AGENT_SESSION_UNKNOWN: {
    status: 409,
    title: "The session is gone",
    detail: "The agent has no session {session}.",
  },
  AGENT_UNSUPPORTED: {
    status: 501,
    title: "The CLI cannot do this",
    detail: "It does not support {capability}.",
  },
  TURN_NOT_CUT_OFF: {
    status: 409,
    title: "Not cut off",
    detail: "The turn {turnId} was not cut off.",
  },
  DIALOG_CLOSED: {
    status: 409,
    title: "Closed",
    detail: "The question {id} is closed.",
  },
  DIALOG_ANSWER_INVALID: {
    status: 400,
    title: "No answer",
    detail: "There is no such option.",
  },
});

/** A stand-in for the agents plugin that records its calls. */
export interface FakeMessages {
  plugin: PluginDefinition;
  prompts: Prompt[];
  answers: Answer[];
  continued: Continued[];
  /** What the next call rejects with. */
  refuse?: Error;
  /** Runs before an answer is taken. */
  onAnswer?: () => Promise<void>;
  /** Runs before a turn is continued. */
  onContinue?: () => Promise<void>;
}

export function createFakeMessages(): FakeMessages {
  const prompts: Prompt[] = [];
  const answers: Answer[] = [];
  const continued: Continued[] = [];
  const refused = () => {
    const error = fake.refuse;
    fake.refuse = undefined;
    if (error) throw error;
  };
  const fake: FakeMessages = {
    prompts,
    answers,
    continued,
    plugin: provideFake(AgentMessages, {
      async prompt(input) {
        refused();
        prompts.push(input);
        return { taskId: `tsk_${prompts.length}`, delivery: "queued" };
      },
      async answerDialog(input) {
        refused();
        await fake.onAnswer?.();
        answers.push(input);
      },
      async continueTurn(input) {
        refused();
        await fake.onContinue?.();
        continued.push(input);
        return { taskId: `tsk_${input.turnId}` };
      },
      async describe() {
        return null;
      },
    }),
  };
  return fake;
}
