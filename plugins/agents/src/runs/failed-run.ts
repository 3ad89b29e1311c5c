import type { AgentRunFailure, AgentRunOutcome } from "../contract.ts";
import { NO_USAGE } from "../live/usage.ts";

/** An outcome of a run that never began. */
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
