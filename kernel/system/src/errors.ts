import {
  defineErrors,
  inputErrors,
  pageErrors,
  quarantineErrors,
} from "@gantry/plugin";

/** Every error that the kernel itself answers. */
export const errors = defineErrors({
  AUTH_NOT_PAIRED: {
    status: 401,
    title: "Not paired",
    detail:
      "This caller is not paired with the daemon; open the link that `gantry pair` prints.",
  },
  ...inputErrors.definitions,
  ...pageErrors.definitions,
  BODY_FORBIDDEN_KEY: {
    status: 400,
    title: "Forbidden key",
    detail:
      "The body has a key that no object here may have (__proto__, constructor or prototype); leave it out.",
  },
  BODY_MEDIA_TYPE: {
    status: 415,
    title: "Unsupported media type",
    detail:
      "The body must be sent as application/json in UTF-8 without content encoding.",
  },
  BODY_NOT_EXPECTED: {
    status: 400,
    title: "No body here",
    detail: "This operation takes no body; send the request without one.",
  },
  BODY_NOT_JSON: {
    status: 400,
    title: "Not a JSON object",
    detail: "The body is not one JSON object in UTF-8; check its syntax.",
  },
  BODY_TOO_COMPLEX: {
    status: 400,
    title: "Body too complex",
    detail:
      "The body is nested deeper than 32 levels or has more than 10,000 keys or 100,000 values; send less at once.",
  },
  BODY_TOO_LARGE: {
    status: 413,
    title: "Body too large",
    detail:
      "The body is larger than the {limit} bytes that this operation takes.",
  },
  HOME_REPLACEMENT_PENDING: {
    status: 409,
    title: "Already being replaced",
    detail:
      "The home is being replaced already; wait until that is over and try again.",
  },
  HOST_MISSING: {
    status: 400,
    title: "No host",
    detail: "A request needs exactly one Host header.",
  },
  HOST_REFUSED: {
    status: 403,
    title: "Host refused",
    detail:
      "The daemon does not answer to this host name; use its own address, or add the name to the configuration.",
  },
  HTTP_BAD_REQUEST: {
    status: 400,
    title: "Bad request",
    detail: "The request is not well-formed HTTP.",
  },
  HTTP_HEADERS_TOO_LARGE: {
    status: 431,
    title: "Headers too large",
    detail: "The request has more than 100 headers or 16 KiB of them.",
  },
  HTTP_TIMEOUT: {
    status: 408,
    title: "Request timeout",
    detail: "The request did not arrive in time; send it again.",
  },
  HTTP_URI_TOO_LONG: {
    status: 414,
    title: "Address too long",
    detail: "The request target is longer than 8 KiB.",
  },
  IDEMPOTENCY_INTERRUPTED: {
    status: 409,
    title: "Interrupted before",
    detail:
      "A request with this idempotency key was interrupted after its effect; look for the effect instead of repeating it.",
  },
  IDEMPOTENCY_KEY_INVALID: {
    status: 400,
    title: "Bad idempotency key",
    detail:
      "An idempotency key is 1 to 128 printable ASCII characters, sent once.",
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    title: "Idempotency key reused",
    detail:
      "This idempotency key was used for another request; choose a new one.",
  },
  IF_MATCH_INVALID: {
    status: 400,
    title: "Bad If-Match",
    detail: 'If-Match takes one revision in quotes, such as "3".',
  },
  KERNEL_FAULT: {
    status: 500,
    title: "Internal error",
    detail:
      "Something went wrong in the daemon; its log has the details under the request id.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: "Method not allowed",
    detail:
      "This path does not take that method; the Allow header lists those that it takes.",
  },
  ORIGIN_REFUSED: {
    status: 403,
    title: "Origin refused",
    detail:
      "The request comes from another origin than the daemon's own pages; a program that sends Sec-Fetch headers must send the daemon's origin too.",
  },
  OUTBOUND_REFUSED: {
    status: 400,
    title: "Target refused",
    detail: "The daemon does not call this target: {reason}.",
  },
  PAIRING_REFUSED: {
    status: 401,
    title: "Pairing refused",
    detail:
      "The code is wrong, used or expired; make a new one with `gantry pair` or on a paired device.",
  },
  PAIRING_TOO_MANY: {
    status: 429,
    title: "Too many tries",
    detail: "Too many pairing tries; wait as long as Retry-After says.",
  },
  PLUGIN_INVALID: {
    status: 400,
    title: "Not a plugin",
    detail: "This is not a plugin that can be used: {reason}.",
  },
  PLUGIN_NOT_FOUND: {
    status: 404,
    title: "No such plugin",
    detail:
      'There is no plugin "{id}"; `gantry plugins list` shows those that there are.',
  },
  PLUGIN_STOPPED: {
    status: 503,
    title: "Plugin stopped",
    detail: 'The plugin "{id}" has stopped.',
  },
  PLUGIN_UNAVAILABLE: {
    status: 503,
    title: "Plugin not active",
    detail: 'The plugin "{id}" is {state}; GET /api/plugins tells why.',
  },
  PROCESS_NOT_STARTED: {
    status: 502,
    title: "Program not started",
    detail: "The program {name} could not be started: {reason}.",
  },
  ...quarantineErrors.definitions,
  RECORD_EXISTS: {
    status: 409,
    title: "Record exists",
    detail:
      "There is a record {id} already; choose another id, or change that one.",
  },
  RECORD_NOT_UNIQUE: {
    status: 409,
    title: "Not unique",
    detail: "Another record has the same {index}; choose another value.",
  },
  RECORD_TOO_NEW: {
    status: 503,
    title: "Record of a later version",
    detail:
      "The record {id} was written by a later version of Gantry and is left alone; start that version again.",
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    title: "Not found",
    detail: "There is no such address here; /docs lists the operations.",
  },
  SESSION_NOT_FOUND: {
    status: 404,
    title: "No such session",
    detail: "There is no such session; GET /api/auth/sessions lists them.",
  },
  SITE_REFUSED: {
    status: 403,
    title: "Cross-site request refused",
    detail: "The request was made by a page of another site.",
  },
  SOCKET_TOO_MANY: {
    status: 429,
    title: "Too many sockets",
    detail:
      "No more than {most} sockets of one session may be open, and 256 in all; close one first.",
  },
  STALE_REVISION: {
    status: 412,
    title: "Changed meanwhile",
    detail:
      "The record is at revision {current}, not {expected}; read it again and repeat the change.",
  },
  STORAGE_FULL: {
    status: 507,
    title: "Storage full",
    detail:
      "The disk is full, so nothing was written; free some space and try again.",
  },
  STORAGE_UNAVAILABLE: {
    status: 503,
    title: "Storage unavailable",
    detail:
      "The data folder cannot be written, so nothing was changed; `gantry doctor` tells why.",
  },
  STORE_CONFLICT: {
    status: 409,
    title: "Already there",
    detail:
      "Something that must not be there yet was written before; read again.",
  },
});

/** The error for a package that is no plugin that can be used. `reason` ends a sentence. */
export const invalidPlugin = (reason: string, cause?: unknown) =>
  errors.PLUGIN_INVALID({ reason }, { cause });
