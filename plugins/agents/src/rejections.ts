import { defineErrors } from "@gantry/plugin";

// Lists of error codes for the `errors` of operations, in this plugin and in plugins that call its services.

/** Codes of the errors with which starting an agent can fail. */
export const AGENT_START_ERRORS = [
  "AGENT_NOT_FOUND",
  "AGENT_CLI_MISSING",
  "AGENT_FOLDER_INVALID",
  "AGENT_TRUST_REQUIRED",
  "AGENT_CONFIG_TOO_LARGE",
  "AGENT_SESSION_LOCKED",
  "AGENT_LIMIT_REACHED",
  "AGENT_UNSUPPORTED",
  "AGENT_START_FAILED",
  "AGENT_CLOSED",
  "AGENT_IN_TERMINAL",
  "AGENT_STOPPING",
  "PROCESS_NOT_STARTED",
] as const;

/** Codes of the errors with which `AgentMessages.prompt` rejects. */
export const AGENT_MESSAGE_ERRORS = [
  ...AGENT_START_ERRORS,
  "AGENT_MESSAGE_EMPTY",
  "AGENT_IMAGE_INVALID",
] as const;

/** Codes of the errors with which `AgentMessages.answerDialog` rejects. */
export const AGENT_DIALOG_ERRORS = [
  "DIALOG_CLOSED",
  "DIALOG_ANSWER_INVALID",
] as const;

/** Codes of the errors with which `AgentRuns.createAgent` and `AgentRuns.updateAgent` reject. */
export const AUTOMATION_AGENT_ERRORS = [
  "AGENT_NOT_FOUND",
  "AGENT_CLI_UNKNOWN",
  "AGENT_FOLDER_INVALID",
  "AGENT_UNSUPPORTED",
] as const;

/** Errors for plugins that serve routes below `/api/agents/{id}`; such a plugin adds them to its own table. */
export const agentErrors = defineErrors({
  AGENT_NOT_FOUND: {
    status: 404,
    title: "No such agent",
    detail: "There is no agent {id}; list them with GET /api/agents.",
  },
  AGENT_TOOL_MISSING: {
    status: 503,
    title: "A program is missing",
    detail: '"{tool}" is not on the PATH of the daemon; install it to do this.',
  },
});
