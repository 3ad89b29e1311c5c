// Lists of codes for the `errors` of operations, of this plugin and of those that call its services.

/** What can keep an agent from being started. */
export const AGENT_START_ERRORS = [
  "AGENT_NOT_FOUND",
  "AGENT_CLI_MISSING",
  "AGENT_FOLDER_INVALID",
  "FOLDER_SILENT",
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

/** What `AgentMessages.prompt` rejects with. */
export const AGENT_MESSAGE_ERRORS = [
  ...AGENT_START_ERRORS,
  "AGENT_MESSAGE_EMPTY",
  "AGENT_IMAGE_INVALID",
] as const;

/** What `AgentMessages.answerDialog` rejects with. */
export const AGENT_DIALOG_ERRORS = [
  "DIALOG_CLOSED",
  "DIALOG_ANSWER_INVALID",
] as const;

/** What `AgentRuns.createAgent` and `AgentRuns.updateAgent` reject with. */
export const AUTOMATION_AGENT_ERRORS = [
  "AGENT_NOT_FOUND",
  "AGENT_CLI_UNKNOWN",
  "AGENT_FOLDER_INVALID",
  "FOLDER_SILENT",
  "AGENT_UNSUPPORTED",
] as const;
