import { isGantryError } from "@gantry/plugin";
import type { Clock } from "@gantry/plugin";
import type {
  AgentRunOutcome,
  AgentRuns,
} from "@gantry/plugin-agents/contract";
import { clipMessage } from "../runs/message.ts";
import { failure } from "../runs/outcome.ts";
import type { DraftProblem, DraftView } from "../wire/draft.ts";
import { toCorrectingPrompt, toDraftingPrompt } from "./drafting-prompt.ts";
import { readAnswer } from "./read-answer.ts";

/** What an agent is to draft, and within which bounds. */
export interface DraftJob {
  agentId: string;
  /** Ids of its runs, one for each try. */
  runIds: readonly string[];
  description: string;
  timeZone: string;
  /** Home folder of the user. */
  userFolder: string;
  timeoutMs: number;
  maxCostUsd: number | null;
}

/** How far it is, or how it ended. */
export type DraftProgress = Partial<DraftView>;

/** A try that has less time left is given this much, and then fails by its own time limit. */
const MIN_TRY_MS = 1_000;

/**
 * Asks an agent for a draft, and once more if the first does not hold. Resolves with how it ended; an abort of `ending`
 * ends the agent: `cancelled`.
 */
export async function tryToDraft(
  { agents, clock }: { agents: AgentRuns; clock: Clock },
  job: DraftJob,
  ending: AbortSignal,
  told: (progress: DraftProgress) => Promise<void>,
): Promise<DraftProgress> {
  const { agentId, runIds, timeoutMs, maxCostUsd } = job;
  const begin = clock.monotonic();
  const firstPrompt = toDraftingPrompt({ ...job, now: clock.now() });
  let prompt = firstPrompt;
  let costUsd: number | null = 0;
  for (const [index, runId] of runIds.entries()) {
    const isSecondTry = index > 0;
    const left = timeoutMs - Math.round(clock.monotonic() - begin);
    const outcome = await run(agents, ending, {
      agentId,
      runId,
      prompt,
      timeoutMs: Math.max(MIN_TRY_MS, left),
      // An unknown cost counts as nothing, as in the spend limits.
      maxCostUsd: maxCostUsd && Math.max(0, maxCostUsd - (costUsd ?? 0)),
    });
    const { usage, failure: reason, message } = outcome;
    costUsd = add(costUsd, usage.costUsd);
    if (reason !== null) {
      const problem = { reason, message, errors: [] };
      return reason === "cancelled"
        ? { state: "cancelled", costUsd, problem }
        : { ...failed(problem), costUsd };
    }
    const answer = clipMessage(message);
    const read = readAnswer(answer, job);
    if ("automation" in read)
      return { state: "done", answer, costUsd, ...read };
    const { errors } = read;
    if (isSecondTry) {
      const words =
        "What the agent answered is no automation, also after it was told why.";
      const problem: DraftProblem = {
        reason: "answer",
        message: words,
        errors,
      };
      return { ...failed(problem), answer, costUsd };
    }
    prompt = toCorrectingPrompt(firstPrompt, answer, errors);
    await told({ isSecondTry: true, answer, costUsd });
  }
  throw new Error("There are two tries.");
}

/** The end of a draft that came to nothing. */
export const failed = (problem: DraftProblem): DraftProgress => ({
  state: "failed",
  problem,
});

const add = (sum: number | null, usd: number | null) =>
  sum === null || usd === null ? null : sum + usd;

/** Runs the agent. Whatever the agents refuse is an outcome too. */
async function run(
  agents: AgentRuns,
  ending: AbortSignal,
  input: {
    agentId: string;
    runId: string;
    prompt: string;
    timeoutMs: number;
    maxCostUsd: number | null;
  },
): Promise<AgentRunOutcome> {
  try {
    return await agents.run(
      {
        ...input,
        freshSession: true,
        permissions: { mode: "reject", tools: [] },
      },
      ending,
    );
  } catch (error) {
    if (ending.aborted) return failure("cancelled", "");
    if (isGantryError(error)) return failure("agent-error", error.message);
    throw error;
  }
}
