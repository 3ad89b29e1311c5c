import type { AgentRunFailure, AgentRunOutcome } from "../contract.ts";
import { NO_USAGE } from "@gantry/agent-kit";

/** The outcome of a run that could not begin. */
export function failed(
  failure: AgentRunFailure,
  message: string,
): AgentRunOutcome {
  return {
    failure,
    message,
    sessionId: null,
    usage: NO_USAGE,
    permissionsAsked: [],
    permissionsRefused: [],
  };
}
