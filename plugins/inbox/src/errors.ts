import { defineErrors } from "@gantry/plugin";

/** Everything that an operation of this plugin can refuse. */
export const errors = defineErrors({
  INBOX_ITEM_NOT_FOUND: {
    status: 404,
    title: "No such item",
    detail:
      "There is no item {id} in the Inbox; list them with GET /api/inbox.",
  },
  INBOX_REPLY_INVALID: {
    status: 400,
    title: "That is no reply to this item",
    detail: "{reason}",
  },
  INBOX_NO_RECIPIENT: {
    status: 409,
    title: "Nothing to reply to",
    detail:
      "The item {id} does not come from an agent, so there is no recipient for a reply.",
  },
  INBOX_RECIPIENT_GONE: {
    status: 409,
    title: "The agent is gone",
    detail:
      "The agent of the item {id} was deleted, so there is no recipient for a reply.",
  },
  INBOX_SESSION_GONE: {
    status: 409,
    title: "The session is gone",
    detail:
      "The agent cannot continue the session of the item {id}, so it would not know what the reply is about; open its conversation and write there.",
  },
  INBOX_DIALOG_CLOSED: {
    status: 409,
    title: "The question is not open any more",
    detail:
      "The question of the item {id} was answered already, or the agent does not wait for it any more.",
  },
  INBOX_DIALOG_OPEN: {
    status: 409,
    title: "The agent still waits",
    detail:
      "The agent waits for an answer to the item {id}; answer or cancel it with POST /api/inbox/{id}/reply.",
  },
  INBOX_TURN_RESUMED: {
    status: 409,
    title: "Nothing is left to continue",
    detail:
      "The conversation of the item {id} has continued already; open it to see where it is, and send a message there.",
  },
  INBOX_AGENTS_MISSING: {
    status: 503,
    title: "Agents cannot be reached",
    detail:
      'The service {service} is missing because the plugin "agents" is not active; nothing was sent. GET /api/plugins tells why.',
  },
});
