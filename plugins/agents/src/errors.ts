import { gitErrors } from "@gantry/git-kit";
import { defineErrors } from "@gantry/plugin";
import { folderErrors } from "./folder/folder-errors.ts";
import { shippingErrors } from "./shipping/shipping-errors.ts";

/** Everything that an operation of this plugin can refuse. */
export const errors = defineErrors({
  AGENT_NOT_FOUND: {
    status: 404,
    title: "No such agent",
    detail: "There is no agent {id}; list them with GET /api/agents.",
  },
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
  AGENT_UNSUPPORTED: {
    status: 501,
    title: "The CLI cannot do this",
    detail:
      '"{cli}" does not support {capability}; GET /api/agents/clis lists what each CLI can do.',
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
      "The folder brings configuration that {cli} would run ({files}); read it, then trust it with POST /api/agents/{id}/trust.",
  },
  AGENT_NEVER_ASKS: {
    status: 409,
    title: "The CLI does not ask first",
    detail:
      '"{cli}" {reason}, so that a run that only reports could change something; choose a CLI that asks, or allow the run more.',
  },
  AGENT_CONFIG_TOO_LARGE: {
    status: 409,
    title: "The folder's configuration is too large",
    detail:
      "The folder brings more configuration than can be checked before a start ({path} goes beyond {limit}); move what does not belong there, or give the agent another folder.",
  },
  AGENT_STILL_WORKING: {
    status: 409,
    title: "The agent is still working",
    detail:
      "There was no answer in {timeoutMs} ms; the turn continues as task {taskId}.{doing}",
  },
  AGENT_OPEN: {
    status: 409,
    title: "The agent is open",
    detail: "{field} cannot change while the agent is open; close it first.",
  },
  AGENT_RUNNING: {
    status: 409,
    title: "An automation's run is on this agent",
    detail:
      "The agent belongs to a run of an automation right now; wait for its end, or cancel the run.",
  },
  AGENT_LIMIT_REACHED: {
    status: 409,
    title: "Too many agents are open",
    detail:
      "{limit} agents are open and all are working; close one, or raise limits.openAgents in the configuration.",
  },
  AGENT_SESSION_LOCKED: {
    status: 409,
    title: "The conversation is open elsewhere",
    detail:
      "Process {pid} still writes to this conversation, and a second writer would lose a part of it; end it first.",
  },
  AGENT_SESSION_UNKNOWN: {
    status: 409,
    title: "The session is gone",
    detail:
      "The agent has no session {session} that could be continued; send the message to its conversation instead.",
  },
  AGENT_CLOSED: {
    status: 409,
    title: "The agent was closed",
    detail:
      "The agent was closed before this was done; it continues when it is started again.",
  },
  AGENT_DRIVER_TAKEN: {
    status: 409,
    title: "The driver's name is taken",
    detail: 'There is a driver "{name}" already; choose another name.',
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
      "The cursor is not one that this conversation gave; begin without one.",
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
      "The agents are being closed because the daemon stops; try again when it is back.",
  },
  TURN_CHANGES_NOT_FOUND: {
    status: 404,
    title: "No changes of such a turn",
    detail:
      "No changes of the turn {id} are kept; the agent's list of turn-changes names those that are.",
  },
  TURN_FILE_UNKNOWN: {
    status: 400,
    title: "The turn did not change this file",
    detail:
      '"{path}" is not among the files that the turn changed; give paths as its list has them.',
  },
  CHECKPOINT_IMPOSSIBLE: {
    status: 409,
    title: "The folder cannot be kept as it is",
    detail:
      "What is written over is kept first, so that it can be undone, and that cannot be done now. {reason} Nothing was written.",
  },
  FILES_CHANGED_SINCE: {
    status: 409,
    title: "Files have changed since",
    detail:
      'Not as they were left: {paths}. Nothing was written. Restore other files alone, or all with "overwrite": true; that can be undone.',
  },
  AGENT_BUSY: {
    status: 409,
    title: "The agent is working",
    detail:
      "The agent is working; wait for the end of its turn, or stop it with POST /api/agents/{id}/abort.",
  },
  AGENT_ENTRY_NOT_FOUND: {
    status: 404,
    title: "No such entry",
    detail:
      "The conversation has no entry {entry}; GET /api/agents/{id}/tree lists them.",
  },
  AGENT_ENTRY_NOT_FORKABLE: {
    status: 400,
    title: "Not a message of yours",
    detail:
      "A conversation continues from before a prompt of the user; the entry {entry} is none.",
  },
  AGENT_COMMAND_UNKNOWN: {
    status: 400,
    title: "Unknown command",
    detail:
      "{cli} has no command /{name}; GET /api/agents/{id}/slash lists what it takes.",
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
      'Send the conversation as "application/x-ndjson", as GET /api/agents/{id}/export gives it.',
  },
  AGENT_NOT_EMPTY: {
    status: 409,
    title: "The agent has a conversation",
    detail:
      "A conversation can only be imported into an agent that has none; make a new one.",
  },
  AGENT_NO_RECORD: {
    status: 409,
    title: "The CLI has no record",
    detail:
      "{cli} has not written this conversation down yet; export it without format=native.",
  },
  AGENT_EXPORT_TOO_LARGE: {
    status: 409,
    title: "The record is too large",
    detail:
      "The record of {cli} has {bytes} bytes, more than is sent at once; export it without format=native.",
  },
  AGENT_NOT_CONFIRMED: {
    status: 400,
    title: "Not confirmed",
    detail:
      'Sharing puts the conversation on the web for all who have its address; send "confirm": true to do it.',
  },
  AGENT_SHARE_FAILED: {
    status: 502,
    title: "Sharing failed",
    detail: "The gist was not made: {reason}",
  },
  AGENT_TOOL_MISSING: {
    status: 503,
    title: "A program is missing",
    detail: '"{tool}" is not on the PATH of the daemon; install it to do this.',
  },
  AGENT_TERMINALS_MISSING: {
    status: 503,
    title: "There are no terminals",
    detail:
      "The terminals plugin is not active; GET /api/plugins says why. The agent works without it, only not in a terminal.",
  },
  AGENT_IN_TERMINAL: {
    status: 409,
    title: "The agent is open in a terminal",
    detail:
      "The agent is open in a terminal, where this cannot be done; close it, or start it with POST /api/agents/{id}/managed/start.",
  },
  AGENT_RECEIVER_UNAUTHORIZED: {
    status: 401,
    title: "Not paired",
    detail:
      "This needs the token that was made for the agent's terminal; it is void when the terminal is closed.",
  },
  AGENT_NOTHING_TO_CONFIRM: {
    status: 409,
    title: "Nothing to confirm",
    detail: "No message {nonce} waits for a confirmation any more.",
  },
  AGENT_COMPACT_FAILED: {
    status: 502,
    title: "The conversation was not shrunk",
    detail: "The agent did not shrink its conversation: {reason}",
  },
  PULL_REQUEST_REFUSED: {
    status: 409,
    title: "The pull request was not opened",
    detail: "{reason}",
  },
  CHECK_LOG_NOT_FOUND: {
    status: 404,
    title: "No log of such a check",
    detail: 'There is no log of a failed check "{check}". {reason}',
  },
  WORKTREE_IMPOSSIBLE: {
    status: 409,
    title: "No worktree can be made",
    detail: "{reason}",
  },
  WORKTREE_KEPT: {
    status: 409,
    title: "The worktree was not removed",
    detail: "{reason}",
  },
  DIALOG_CLOSED: {
    status: 409,
    title: "The question is not open any more",
    detail:
      "The question {dialogId} was answered already, or the agent does not wait for it any more.",
  },
  DIALOG_ANSWER_INVALID: {
    status: 400,
    title: "That is no answer to this question",
    detail: "{reason}",
  },
  TASK_NOT_QUEUED: {
    status: 409,
    title: "The task is not waiting",
    detail:
      "The task {id} is {status}; only a task that waits can be cancelled.",
  },
  TURN_NOT_CUT_OFF: {
    status: 409,
    title: "The turn is not waiting to be continued",
    detail:
      "The turn {turnId} was not cut off, or the conversation has continued since; send a message instead.",
  },
  USAGE_RANGE_INVALID: {
    status: 400,
    title: "That is no range of days",
    detail:
      '"from" must not be after "to", and the range must not be longer than 732 days, by the hour 14.',
  },
  ...shippingErrors,
  ...folderErrors,
  ...gitErrors.definitions,
});
