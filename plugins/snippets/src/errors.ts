import { defineErrors } from "@gantry/plugin";

/** Everything that an operation of this plugin can refuse. */
export const errors = defineErrors({
  SNIPPET_NOT_FOUND: {
    status: 404,
    title: "No such snippet",
    detail: "There is no snippet {id}; list them with GET /api/snips.",
  },
  SNIPPET_CURSOR_INVALID: {
    status: 400,
    title: "Not a cursor of this list",
    detail:
      "The cursor was not given by this list; leave it out to begin at the start.",
  },
  SNIPPET_SLUG_INVALID: {
    status: 400,
    title: "Not a slug",
    detail:
      "A slug has 1 to 64 of the characters a-z, 0-9 and -; choose another, or leave it out and it is made from the title.",
  },
  SNIPPET_SLUG_TAKEN: {
    status: 409,
    title: "The slug is taken",
    detail:
      'The slug "{slug}" belongs to the snippet "{title}" ({id}); choose another.',
  },
  SNIPPET_BODY_INVALID: {
    status: 400,
    title: "The body has a broken placeholder",
    detail: "Line {line}, column {column} of the body: {message}",
  },
  SNIPPET_PLACEHOLDER_INVALID: {
    status: 400,
    title: "The placeholder table does not fit the body",
    detail: "The placeholder {name}: {reason}",
  },
  SNIPPET_ENUM: {
    status: 400,
    title: "The value is not in the list",
    detail:
      'The value "{value}" is not allowed for {name}; it is one of: {allowed}.',
  },
  SNIPPET_VALUE_UNKNOWN: {
    status: 400,
    title: "No such placeholder",
    detail:
      "The snippet has no placeholder {names}; leave the value out. It has: {known}.",
  },
  SNIPPET_VALUE_RESERVED: {
    status: 400,
    title: "The value is filled from the target",
    detail: "{names} is filled from the target; leave the value out.",
  },
  SNIPPET_VALUE_MISSING: {
    status: 400,
    title: "A value is missing",
    detail: "Nothing was sent: give a value for {names}.",
  },
  SNIPPET_VALUE_CONTROL: {
    status: 400,
    title: "A value has a control character",
    detail:
      "Nothing was sent: the value of {name} has a control character, which a terminal would take for a key. Only line ends and tabs may be in it.",
  },
  SNIPPET_TOO_LONG: {
    status: 400,
    title: "The text is too long",
    detail:
      "With these values the text has more than {limit} characters; shorten the values or the body.",
  },
  SNIPPET_CONTEXT_MISSING: {
    status: 409,
    title: "The target cannot fill a placeholder",
    detail:
      'Nothing was sent: "{target}" has no {names}, which the snippet needs. Choose another target, or edit the snippet.',
  },
  SNIPPET_KIND: {
    status: 409,
    title: "The snippet cannot be sent there",
    detail: "Nothing was sent: {reason}",
  },
  SNIPPET_CONFIRMATION: {
    status: 409,
    title: "The confirmation is not valid",
    detail:
      "Nothing was sent: the confirmation was used, is older than 60 seconds, or was made for another text or terminal. Send it without `confirm` to get a new one.",
  },
  SNIPPET_TARGET_NOT_FOUND: {
    status: 404,
    title: "No such target",
    detail: "Nothing was sent: there is no {type} {id}.",
  },
  SNIPPET_TERMINAL_BUSY: {
    status: 409,
    title: "The shell is busy",
    detail:
      'Nothing was sent: the shell in "{name}" is not at its prompt. Wait for its command to end, or choose another terminal.',
  },
  SNIPPET_AGENTS_MISSING: {
    status: 503,
    title: "Agents cannot be reached",
    detail:
      'The service {service} is missing because the plugin "agents" is not active; nothing was sent. GET /api/plugins tells why.',
  },
  SNIPPET_TERMINALS_MISSING: {
    status: 503,
    title: "Terminals cannot be reached",
    detail:
      'The service {service} is missing because no plugin "terminals" is active; nothing was sent. GET /api/plugins tells which are.',
  },
});
