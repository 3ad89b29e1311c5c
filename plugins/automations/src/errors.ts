import { defineErrors } from "@gantry/plugin";

/** Everything that an operation of this plugin can refuse. */
export const errors = defineErrors({
  AUTOMATION_NOT_FOUND: {
    status: 404,
    title: "No such automation",
    detail: "There is no automation {id}; list them with GET /api/automations.",
  },
  AUTOMATION_LIMIT_REACHED: {
    status: 400,
    title: "Too many automations",
    detail: "There are {limit} automations already; delete one first.",
  },
  AUTOMATION_OFF: {
    status: 409,
    title: "The automation is switched off",
    detail:
      "The automation is switched off, so its webhook starts nothing; switch it on, or run it by hand.",
  },
  AUTOMATION_TEMPLATE_INVALID: {
    status: 400,
    title: "Not a template",
    detail: "The template does not fit: {problem}.",
  },
  AUTOMATION_TEMPLATE_TAKEN: {
    status: 409,
    title: "The template exists already",
    detail:
      "There is a template {id} already; begin the id with the name of the plugin.",
  },
  CALL_NOT_FOUND: {
    status: 404,
    title: "No such call",
    detail:
      "The automation has no call {id}; list them with the operation /calls of the automation.",
  },
  CALL_PAYLOAD_GONE: {
    status: 409,
    title: "The payload is not kept any more",
    detail:
      "What came with the call {id} is not kept: payloads are for 7 days, the newest 256 of an automation.",
  },
  DRAFT_NOT_FOUND: {
    status: 404,
    title: "No such draft",
    detail:
      "There is no draft {id}: drafts are kept for an hour, and until the daemon stops. Describe the automation again.",
  },
  DRAFT_SPEND_LIMIT: {
    status: 409,
    title: "The spend limits leave nothing",
    detail:
      "No agent was asked: {reason} Raise the spend limits of all automations, wait, or write it by hand.",
  },
  DRAFT_TOO_MANY: {
    status: 429,
    title: "Too many drafts at once",
    detail:
      "{limit} automations are being drafted already; wait until one of them is done, or stop one.",
  },
  NOTIFY_TARGET_REFUSED: {
    status: 400,
    title: "Target refused",
    detail:
      "The address to notify is not called: {reason}. Give that of a chat's incoming webhook.",
  },
  SCHEDULE_UNKNOWN: {
    status: 400,
    title: "No such schedule",
    detail:
      'The automation has no schedule {id}; leave "id" out for a new schedule.',
  },
  TARGET_AGENT_NEEDED: {
    status: 400,
    title: "No agent to message",
    detail:
      'An automation with the mode "message" sends its prompt to an agent; name one in "targetAgentId".',
  },
  TARGET_AGENT_UNKNOWN: {
    status: 400,
    title: "No such agent",
    detail: "There is no agent {id}; list them with GET /api/agents.",
  },
  WEBHOOK_OFF: {
    status: 409,
    title: "The webhook is off",
    detail:
      'The automation has no webhook; switch it on with {"webhook": true} first.',
  },
  WEBHOOK_UNAUTHORIZED: {
    status: 401,
    title: "Wrong webhook secret",
    detail:
      "The header Authorization: Bearer does not carry the secret of an automation with a webhook.",
  },
  WEBHOOK_HEADER_REPEATED: {
    status: 400,
    title: "Two Authorization headers",
    detail: "A webhook call carries exactly one Authorization header.",
  },
  WEBHOOK_SECRET_IN_QUERY: {
    status: 400,
    title: "A secret in the address",
    detail:
      "Addresses end up in logs; send the secret in the Authorization header only, and make a new one.",
  },
  WEBHOOK_TOO_MANY_TRIES: {
    status: 429,
    title: "Too many wrong secrets",
    detail:
      "Too many calls came with a wrong secret; wait as long as Retry-After says.",
  },
  WEBHOOK_TOO_MANY_CALLS: {
    status: 429,
    title: "Too many calls",
    detail:
      "Calls come faster than they can be recorded and none of them could start a run; wait as long as Retry-After says.",
  },
  RUN_RANGE_INVALID: {
    status: 400,
    title: "Not a range of days",
    detail:
      '"from" must not be after "to", and the range must not be longer than 732 days, by the hour 14.',
  },
});
