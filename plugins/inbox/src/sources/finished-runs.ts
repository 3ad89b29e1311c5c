import type { EventRecord } from "@gantry/plugin";
import type { InboxItemCutOff } from "../contract.ts";
import type {
  FinishedRun,
  RunReason,
} from "@gantry/plugin-automations/contract";
import type { Entry, Intake } from "../items/intake.ts";

type Finished = EventRecord<FinishedRun>;

/** What each reason of a failed run says in the title of its notice. */
const REASONS: Readonly<Partial<Record<RunReason, string>>> = {
  "cost-cap": "stopped at its cost cap",
  "cli-missing": "the agent CLI is not installed",
  "daemon-restarted": "the daemon restarted during the run",
  timeout: "took too long",
  "permission-needed": "needed a permission",
  "agent-error": "the agent reported an error",
  "target-gone": "its agent no longer exists",
  "trust-required": "its folder is not trusted yet",
  cancelled: "cancelled",
};

/** What each problem of an agent says in place of that. */
const PROBLEMS: Readonly<
  Record<NonNullable<FinishedRun["problem"]>["kind"], string>
> = {
  "usage-limit": "the agent reached its usage limit",
  authentication: "the agent needs a login",
  billing: "the agent has a billing problem",
  overload: "the agent's service was overloaded",
  model: "the agent has no such model any more",
};

/** Longest part of a message that tells one error of an agent from another. */
const LIKENESS_LENGTH = 500;

/**
 * Creates the handler of finished runs: an answer becomes a result, a failure a notice, and a skip is only in the Runs
 * table.
 *
 * @param findCutOff Gives the turn of a run that can be continued.
 */
export function createRunListener(
  intake: Intake,
  findCutOff: (runId: string) => Promise<InboxItemCutOff | null>,
) {
  return async (event: Finished): Promise<void> => {
    const { result, runId } = event.data;
    if (result === "skipped") return;
    await intake.add(async () => ({
      ...toEntry(event, result),
      cutOff: await findCutOff(runId),
    }));
  };
}

function toEntry(
  { data, at, id: sequence }: Finished,
  result: "done" | "failed",
): Entry {
  const {
    automationId,
    automationName,
    runId,
    reason,
    trigger,
    scheduleLabel,
    costUsd,
    sessionId,
    problem = null,
  } = data;
  const shared = {
    source: { type: "automation", id: automationId, name: automationName },
    agentId: data.agentId,
    run: {
      id: runId,
      automationId,
      result,
      reason,
      trigger,
      scheduleLabel,
      costUsd,
      // An event of an earlier version has none.
      sessionId: sessionId ?? null,
    },
    at,
    sequence,
  };
  if (result === "done") {
    return {
      ...shared,
      kind: "result",
      title: automationName,
      body: data.message || "*The agent ended without a message.*",
    };
  }
  const words = problem
    ? PROBLEMS[problem.kind]
    : ((reason && REASONS[reason]) ?? reason ?? "failed");
  return {
    ...shared,
    kind: "notice",
    title: `${automationName}: ${words}`,
    body: data.message || "*The run failed without a message.*",
    severity: reason === "cancelled" ? "info" : "error",
    // Reasons say all but for an error of the agent's own, of which there are many.
    likeness:
      reason === "agent-error" && !problem
        ? `${reason} ${data.message.slice(0, LIKENESS_LENGTH)}`
        : (problem?.kind ?? reason ?? "failed"),
  };
}
