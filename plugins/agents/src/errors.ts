import { driverErrors } from "@gantry/agent-kit";
import { folderErrors } from "@gantry/agent-folder";
import { defineErrors } from "@gantry/plugin";
import { agentErrors } from "./rejections.ts";

/** The errors of this plugin's operations. */
export const errors = defineErrors({
  ...agentErrors.definitions,
  AGENT_TASK_NOT_FOUND: {
    status: 404,
    title: "No such task",
    detail: "This agent has no task {id}; list the tasks of its agent.",
  },
  AGENT_CLI_UNKNOWN: {
    status: 400,
    title: "Unknown CLI",
    detail:
      'There is no agent CLI "{cli}"; known are {known}. More can be set in the configuration under "clis".',
  },
  AGENT_FOLDER_INVALID: {
    status: 400,
    title: "Not a folder for an agent",
    detail: '"{path}" {reason}.',
  },
  AGENT_CLI_MISSING: {
    status: 503,
    title: "The CLI is not installed",
    detail:
      '"{cli}" is not installed or not on the PATH of the daemon; install it, or give the agent another CLI.',
  },
  AGENT_START_FAILED: {
    status: 502,
    title: "The agent did not start",
    detail: '"{cli}" did not start: {reason}',
  },
  AGENT_TURN_FAILED: {
    status: 502,
    title: "The turn failed",
    detail: "The agent ended its turn with an error: {reason}",
  },
  AGENT_TRUST_REQUIRED: {
    status: 409,
    title: "The folder is not trusted",
    detail:
      "The folder contains configuration that {cli} would run ({files}); review it, then trust it with POST /api/agents/{id}/trust.",
  },
  AGENT_CONFIG_TOO_LARGE: {
    status: 409,
    title: "The folder's configuration is too large",
    detail:
      "The folder contains more configuration than can be checked before a start ({path} exceeds {limit}); move files that do not belong there, or give the agent another folder.",
  },
  AGENT_STILL_WORKING: {
    status: 409,
    title: "The agent is still working",
    detail:
      "There was no answer in {timeoutMs} ms; the turn continues as task {taskId}.",
  },
  AGENT_OPEN: {
    status: 409,
    title: "The agent is open",
    detail: "{field} cannot change while the agent is open; close it first.",
  },
  AGENT_RUNNING: {
    status: 409,
    title: "An automation uses the agent",
    detail:
      "A run of an automation is using the agent; wait for its end, or cancel the run.",
  },
  AGENT_LIMIT_REACHED: {
    status: 409,
    title: "Too many agents are open",
    detail:
      "{limit} agents are open and all are busy; close one, or raise limits.openAgents in the configuration.",
  },
  AGENT_SESSION_LOCKED: {
    status: 409,
    title: "The conversation is open elsewhere",
    detail:
      "Process {pid} still writes to this conversation, and a second writer could damage it; end that process first.",
  },
  AGENT_SESSION_UNKNOWN: {
    status: 409,
    title: "The session is gone",
    detail:
      "The agent has no session {session} to continue; send the message to its current conversation instead.",
  },
  AGENT_CLOSED: {
    status: 409,
    title: "The agent was closed",
    detail:
      "The agent was closed before this was done; it continues when it is started again.",
  },
  AGENT_TOOLS_TAKEN: {
    status: 409,
    title: "The tools' name is taken",
    detail: 'There are tools named "{name}" already; choose another name.',
  },
  AGENT_TOOLS_INVALID: {
    status: 400,
    title: "Invalid name for tools",
    detail:
      'Tools cannot be named "{name}"; use at most 32 lowercase letters and digits, words joined by "-".',
  },
  AGENT_DRIVER_TAKEN: {
    status: 409,
    title: "The driver's name is taken",
    detail: 'There is a driver "{name}" already; choose another name.',
  },
  AGENT_CLI_TAKEN: {
    status: 409,
    title: "The CLI's name is taken",
    detail:
      'The name "{cli}" is taken already; choose another name, also for a CLI of the configuration.',
  },
  AGENT_MESSAGE_EMPTY: {
    status: 400,
    title: "Nothing to send",
    detail: "The message has neither text nor pictures.",
  },
  AGENT_IMAGE_INVALID: {
    status: 400,
    title: "Not a picture",
    detail:
      "Picture {index} is not base64 of at most 4 MB of PNG, JPEG, GIF or WebP.",
  },
  AGENT_BAD_CURSOR: {
    status: 400,
    title: "Unknown cursor",
    detail:
      "The cursor does not belong to this conversation; begin without one.",
  },
  AGENT_DISK_FULL: {
    status: 507,
    title: "The disk is full",
    detail:
      "The conversation could not be written because the disk is full; free some space and send it again.",
  },
  AGENT_STOPPING: {
    status: 503,
    title: "The daemon is stopping",
    detail:
      "The agents are being closed because the daemon is stopping; try again when it is running again.",
  },
  AGENT_BUSY: {
    status: 409,
    title: "The agent is busy",
    detail:
      "The agent is busy; wait for the end of its turn, or stop it with POST /api/agents/{{id}}/abort.",
  },
  AGENT_ENTRY_NOT_FOUND: {
    status: 404,
    title: "No such entry",
    detail:
      "The conversation has no entry {entry}; GET /api/agents/{{id}}/tree lists them.",
  },
  AGENT_ENTRY_NOT_FORKABLE: {
    status: 400,
    title: "Not a prompt of the user",
    detail:
      "A conversation can only be forked before a prompt of the user, which the entry {entry} is not.",
  },
  AGENT_COMMAND_UNKNOWN: {
    status: 400,
    title: "Unknown command",
    detail:
      "{cli} has no command /{name}; GET /api/agents/{{id}}/slash lists its commands.",
  },
  AGENT_IMPORT_INVALID: {
    status: 400,
    title: "Not a conversation",
    detail: "Nothing was imported. {reason}",
  },
  AGENT_IMPORT_MEDIA_TYPE: {
    status: 415,
    title: "Not JSON Lines",
    detail:
      'Send the conversation as "application/x-ndjson", as GET /api/agents/{{id}}/export returns it.',
  },
  AGENT_NOT_EMPTY: {
    status: 409,
    title: "The agent has a conversation",
    detail:
      "A conversation can only be imported into an agent that has none; create a new agent.",
  },
  AGENT_NO_RECORD: {
    status: 409,
    title: "The CLI has no record",
    detail:
      "{cli} has not stored this conversation yet; export it without format=native.",
  },
  AGENT_EXPORT_TOO_LARGE: {
    status: 409,
    title: "The record is too large",
    detail:
      "The record of {cli} has {bytes} bytes, which is too large to send; export it without format=native.",
  },
  AGENT_NOT_CONFIRMED: {
    status: 400,
    title: "Not confirmed",
    detail:
      'Sharing publishes the conversation to everyone who has its URL; send "confirm": true to do it.',
  },
  AGENT_SHARE_FAILED: {
    status: 502,
    title: "Sharing failed",
    detail: "The gist was not created: {reason}",
  },
  AGENT_TERMINALS_MISSING: {
    status: 503,
    title: "There are no terminals",
    detail:
      "The terminals plugin is not active; GET /api/plugins says why. Without it, the agent works, but not in a terminal.",
  },
  AGENT_IN_TERMINAL: {
    status: 409,
    title: "The agent is open in a terminal",
    detail:
      "This cannot be done while the agent is open in a terminal; close it, or start it with POST /api/agents/{{id}}/managed/start.",
  },
  AGENT_RECEIVER_UNAUTHORIZED: {
    status: 401,
    title: "Not paired",
    detail:
      "This needs the token of the agent's terminal, which is invalid once the terminal is closed.",
  },
  AGENT_NOTHING_TO_CONFIRM: {
    status: 409,
    title: "Nothing to confirm",
    detail: "No message {nonce} is waiting for a confirmation.",
  },
  AGENT_COMPACT_FAILED: {
    status: 502,
    title: "The conversation was not compacted",
    detail: "The agent did not compact its conversation: {reason}",
  },
  DIALOG_CLOSED: {
    status: 409,
    title: "The question is closed",
    detail:
      "The question {dialogId} was answered already, or the agent is no longer waiting for an answer.",
  },
  DIALOG_ANSWER_INVALID: {
    status: 400,
    title: "Invalid answer to the question",
    detail: "{reason}",
  },
  TASK_NOT_QUEUED: {
    status: 409,
    title: "The task is not queued",
    detail: "The task {id} is {status}; only a queued task can be cancelled.",
  },
  TURN_NOT_CUT_OFF: {
    status: 409,
    title: "The turn cannot be continued",
    detail:
      "The turn {turnId} was not cut off, or the conversation has continued since; send a message instead.",
  },
  ...driverErrors.definitions,
  DROP_INVALID: {
    status: 400,
    title: "Invalid attachment",
    detail: "The data is not base64 of at most 8 MB.",
  },
  ...folderErrors.definitions,
});
