import type { AgentRunOutcome } from "@gantry/plugin-agents/contract";
import { MAX_MESSAGE_BYTES } from "../wire/run.ts";
import type { Job } from "./job.ts";
import { clipMessage } from "./message.ts";
import type { RunEnd } from "./run-book.ts";

/** The outcome of a run of which the agents told nothing. */
export function failure(
  reason: NonNullable<AgentRunOutcome["failure"]>,
  message: string,
): AgentRunOutcome {
  return {
    failure: reason,
    message,
    sessionId: null,
    usage: { inputTokens: null, outputTokens: null, costUsd: null },
    permissionsAsked: [],
    permissionsRefused: [],
  };
}

/** The words for a run that ended because the daemon did. */
export const RESTARTED =
  "The daemon stopped while this run was going. The next scheduled run starts fresh.";

const WORDS: Record<
  Exclude<AgentRunOutcome["failure"], null> | "daemon-restarted",
  string
> = {
  "cost-cap": "Spending passed the cap.",
  "cli-missing": "The agent CLI was not found when it was to start.",
  timeout: "The run took longer than its time limit and was ended.",
  "permission-needed":
    "The agent needed a permission, and no user was there to give it.",
  "agent-in-terminal":
    "The agent was opened in a terminal before the run could begin.",
  "agent-error": "The agent reported an error.",
  "target-gone": "The agent no longer existed.",
  "trust-required":
    "The folder brings configuration of its own and is not trusted yet.",
  cancelled: "The run was stopped by hand.",
  "daemon-restarted": "The daemon stopped while the run was going.",
};

const words = (reason: keyof typeof WORDS, isCut: boolean) =>
  reason === "cost-cap" && isCut
    ? "Spending passed what the spend limits of all automations had left."
    : WORDS[reason];

/** Titles that are told. */
const MAX_TITLES = 5;
/** In bytes. */
const MAX_TITLE_BYTES = 200;

/** The final message, and the permissions that were refused: the reader of the answer should know what the agent could not do. */
function withRefused({
  failure,
  message,
  permissionsRefused: titles,
}: AgentRunOutcome): string {
  // That failure says so itself.
  if (titles.length === 0 || failure === "permission-needed") return message;
  const told = titles
    .slice(0, MAX_TITLES)
    .map((title) =>
      clipMessage(title.replaceAll(/[`\s]+/g, " "), MAX_TITLE_BYTES),
    );
  const more = titles.length - told.length;
  const words = [
    ...told.map((title) => `\`${title}\``),
    ...(more > 0 ? [`${more} more`] : []),
  ];
  const note = `\n\n*The policy of the automation refused: ${words.join(", ")}.*`;
  // A long answer must not push it out.
  const room = MAX_MESSAGE_BYTES - Buffer.byteLength(note);
  return clipMessage(message, room) + note;
}

/** A run whose agent was opened in a terminal between the gates and its start is skipped, as the gate would have. */
const resultOf = (reason: RunEnd["reason"]): RunEnd["result"] =>
  reason === null
    ? "done"
    : reason === "agent-in-terminal"
      ? "skipped"
      : "failed";

/**
 * What is written of a run's end.
 *
 * @param stopping The daemon is stopping, which ends its runs.
 */
export function toEnd(
  { grant: { maxCostUsd, isCut }, timeoutMs }: Job,
  outcome: AgentRunOutcome,
  durationMs: number,
  stopping: boolean,
): RunEnd {
  const { costUsd } = outcome.usage;
  const restarted = stopping && outcome.failure === "cancelled";
  // Where spending is only known at the end, the answer has come, and the run still passed its cap.
  const isOver =
    maxCostUsd !== null && costUsd !== null && costUsd > maxCostUsd;
  const reason = restarted
    ? "daemon-restarted"
    : (outcome.failure ?? (isOver ? "cost-cap" : null));
  return {
    result: resultOf(reason),
    reason,
    message: restarted ? RESTARTED : withRefused(outcome),
    sessionId: outcome.sessionId,
    problem: (reason === "agent-error" && outcome.problem) || null,
    costUsd,
    outcome: {
      gate: "outcome",
      verdict: reason === null ? "passed" : "refused",
      detail:
        reason === null ? "The agent gave its answer." : words(reason, isCut),
      figures: {
        costUsd,
        maxCostUsd,
        durationMs,
        timeoutMs,
        permissionsAsked: outcome.permissionsAsked.length,
      },
    },
  };
}
