import type { EventRecord } from "@gantry/plugin";
import type {
  TurnBlocked,
  UnaskedTurnFinished,
} from "@gantry/plugin-agents/contract";
import type { Intake } from "../items/intake.ts";
import { toParagraphs } from "../items/texts.ts";

type Unasked = EventRecord<NonNullable<(typeof UnaskedTurnFinished)["~data"]>>;
type Blocked = EventRecord<NonNullable<(typeof TurnBlocked)["~data"]>>;
type Kind = Blocked["data"]["kind"];

/** What each problem says in the title of its notice, and what the user can do. */
const PROBLEMS: Readonly<Record<Kind, { title: string; way: string }>> = {
  "usage-limit": {
    title: "reached its usage limit",
    way: "Continue when the limit resets.",
  },
  authentication: {
    title: "needs a login",
    way: "Log in from the page of the agent, then send the message again.",
  },
  billing: {
    title: "has a billing problem",
    way: "Check the account of the CLI, then send the message again.",
  },
  overload: {
    title: "was refused by an overloaded service",
    way: "Send the message again in a while.",
  },
  model: {
    title: "has no such model any more",
    way: "Use the default model, or choose another in the settings of the agent.",
  },
};

/** Makes the handler of turns that agents began by themselves: no caller waits for their answers. */
export function createUnaskedListener(intake: Intake) {
  return async ({
    subject,
    data,
    at,
    id: sequence,
  }: Unasked): Promise<void> => {
    const { turnId, agentName, answer, error } = data;
    const shared = {
      source: { type: "agent", id: subject, name: agentName },
      agentId: subject,
      key: `inbox:unasked:${turnId}`,
      at,
      sequence,
    };
    await intake.add(
      error === null
        ? {
            ...shared,
            kind: "result",
            title: `${agentName} reports`,
            body: answer || "*The agent worked without saying anything.*",
          }
        : {
            ...shared,
            kind: "notice",
            title: `${agentName}: a turn that it began by itself failed`,
            body: toParagraphs(error),
            severity: "error",
          },
    );
  };
}

/** Makes the handler of turns that failed because of something that the user can do something about. */
export function createBlockedListener(intake: Intake) {
  return async ({
    subject,
    data,
    at,
    id: sequence,
  }: Blocked): Promise<void> => {
    const { runId, agentName, kind, resetsAt, message } = data;
    // A run has a notice of its own.
    if (runId !== null) return;
    const { title, way } = PROBLEMS[kind];
    await intake.add({
      kind: "notice",
      title: `${agentName} ${title}`,
      body: `${toParagraphs(message)}\n\n${toWay(kind, resetsAt, way)}`,
      severity: "error",
      source: { type: "agent", id: subject, name: agentName },
      agentId: subject,
      likeness: `blocked ${kind}`,
      at,
      sequence,
    });
  };
}

function toWay(kind: Kind, resetsAt: string | null, way: string): string {
  if (kind !== "usage-limit" || resetsAt === null) return way;
  const [day, time = ""] = resetsAt.split("T");
  return `Continue after ${day} ${time.slice(0, 5)} UTC, when the limit resets.`;
}
